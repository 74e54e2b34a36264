package org.bluke.sdk;

import org.bluke.v1.Move;
import org.bluke.v1.Turn;

/** What can be asked: which method of the bot is called, and how its answer is said. */
enum Ask {
    CUT("cut") {
        @Override
        Move.Builder put(Bot bot, Turn turn) throws Exception {
            return Move.newBuilder().setCut(number(bot.cut(View.ofNumbers(turn))));
        }
    },
    BID("bid") {
        @Override
        Move.Builder put(Bot bot, Turn turn) throws Exception {
            return Move.newBuilder().setBid(number(bot.bid(View.ofNumbers(turn))));
        }
    },
    PLAY("play") {
        @Override
        Move.Builder put(Bot bot, Turn turn) throws Exception {
            Card card = bot.play(View.ofCards(turn));
            if (card == null) {
                throw new IllegalStateException("play returned null: it must return a card out of view.legal()");
            }
            return Move.newBuilder().setCard(card.index());
        }
    };

    final String method;

    Ask(String method) {
        this.method = method;
    }

    /** What a turn asks for; null for something that this SDK does not know. */
    static Ask of(Turn turn) {
        return switch (turn.getAsked()) {
            case ASKED_CUT -> CUT;
            case ASKED_BID -> BID;
            case ASKED_PLAY -> PLAY;
            default -> null;
        };
    }

    /** Calls the bot's method; whatever that throws comes through. */
    abstract Move.Builder put(Bot bot, Turn turn) throws Exception;

    int number(int answer) {
        if (answer < 0) {
            throw new IllegalStateException(method + " returned " + answer + ": it must return one of view.legal()");
        }
        return answer;
    }
}
