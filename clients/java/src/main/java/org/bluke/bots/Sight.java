package org.bluke.bots;

import org.bluke.sdk.Card;
import org.bluke.sdk.Suit;
import org.bluke.sdk.Trick;
import org.bluke.sdk.View;

/**
 * What one seat makes of the cards that it cannot see: each of them is as likely to be in one place as in any other.
 *
 * <p>Cards are indices, suits their numbers (4 for the Blukes), sets of cards bits by index, chances thousandths.
 */
final class Sight {
    static final int SURE = 1000;
    /** The least that a trump is worth, the two and each rank above it: it may ruff, or be left over in the end. */
    private static final int TRUMP_WORTH = 300;

    private static final int TRUMP_STEP = 40;
    private static final int BLUKE_SUIT = 4;
    private static final long BLUKES = 3L << 52;

    /** The cards that are neither held nor turned up nor played. */
    private final long hidden;
    /** How many they are. */
    private final int count;
    /** Number of the trump suit, -1 for none. */
    private final int trump;
    /** Number of the other seats. */
    private final int others;

    Sight(View<?> view) {
        long seen = view.turned().map(Sight::bit).orElse(0L);
        for (Card card : view.cards()) {
            seen |= bit(card);
        }
        for (Trick trick : view.tricks()) {
            for (Card card : trick.cards()) {
                seen |= bit(card);
            }
        }
        hidden = ~seen & (1L << 54) - 1;
        count = Long.bitCount(hidden);
        trump = view.trump().map(Suit::ordinal).orElse(-1);
        others = view.rules().seats() - 1;
    }

    private static long bit(Card card) {
        return 1L << card.index();
    }

    /** The chance that {@code drawn} cards out of {@code hidden} hold none of the {@code marked} ones. */
    static int miss(int marked, int drawn, int hidden) {
        int chance = SURE * SURE;
        for (int i = 0; i < marked; i++) {
            int left = hidden - drawn - i;
            if (left <= 0) {
                return 0;
            }
            chance = chance * left / (hidden - i);
        }
        return chance / SURE;
    }

    /** How many hidden cards are of a suit. */
    private int ofSuit(int suit) {
        return Long.bitCount(hidden >>> 13 * suit & 0x1FFF);
    }

    /** How many hidden cards beat {@code card} in a trick of its own suit, but for ruffs. */
    private int above(int card) {
        if (card >= 52) {
            return Long.bitCount(hidden >>> card + 1);
        }
        long end = 1L << card - card % 13 + 13;
        return Long.bitCount(hidden & end - (2L << card) | hidden & BLUKES);
    }

    /**
     * The chance that none of {@code seats} seats with {@code held} cards each will beat a card that is winning.
     *
     * @param led number of the suit led
     */
    int stands(int card, int led, int seats, int held) {
        int suit = card / 13;
        int above = above(card);
        if (suit == BLUKE_SUIT || suit == trump && led == trump) {
            return miss(above, seats * held, count);
        }
        // A seat that has none of the suit led may ruff; of a trump, only such a seat may play a better one.
        int empty = miss(ofSuit(led), held, count);
        int one;
        if (suit == trump) {
            one = SURE - empty * (SURE - miss(above, held, count)) / SURE;
        } else {
            one = miss(above, held, count);
            if (trump >= 0) {
                int trumps = miss(ofSuit(trump), held, count - ofSuit(led));
                one = Math.max(0, one - empty * (SURE - trumps) / SURE);
            }
        }
        int chance = SURE;
        for (int i = 0; i < seats; i++) {
            chance = chance * one / SURE;
        }
        return chance;
    }

    /** The chance that a card takes a trick when every other seat holds {@code held} cards. */
    int worth(int card, int held) {
        int suit = card / 13;
        int chance = stands(card, suit, others, held);
        return suit == trump ? Math.max(chance, TRUMP_WORTH + TRUMP_STEP * (card % 13)) : chance;
    }
}
