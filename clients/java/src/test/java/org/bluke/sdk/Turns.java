package org.bluke.sdk;

import com.google.protobuf.TextFormat;
import org.bluke.v1.Asked;
import org.bluke.v1.Turn;

/** Turns to ask in tests. */
final class Turns {
    /** The example of the protocol's description. */
    static final String EXAMPLE =
            """
            game_id: "5f0c2a917be3d846"
            seat: 1
            decision_id: 9
            asked: ASKED_PLAY
            legal: [48, 52]
            decision_left_ms: 2000
            bank_left_ms: 59400
            last { decision_id: 6 measured_us: 2603120 excused_us: 3120 applied: 39 }
            view {
              rules {
                seats: 3 variant: VARIANT_STANDARD hands: [4, 3, 2] custom_hands: true
                bluke_led: BLUKE_LED_FREE cut: CUT_RULE_TAP
              }
              totals: [0, 0, 0]
              size: 4
              dealer: 1
              trump: TRUMP_CLUBS
              turned: 7
              cards: [5, 48, 52]
              bids: [1, 2, 2]
              tricks { leader: 2 cards: [19, 15, 39] winner: 2 }
              tricks { leader: 2 cards: [49, 47] }
              tricks_won: [0, 0, 1]
            }
            """;

    private Turns() {}

    static Turn parse(String text) {
        try {
            return TextFormat.parse(text, Turn.class);
        } catch (TextFormat.ParseException error) {
            throw new IllegalArgumentException(error);
        }
    }

    static Turn play(String game, int seat, long decision) {
        return parse(EXAMPLE).toBuilder()
                .setGameId(game)
                .setSeat(seat)
                .setDecisionId(decision)
                .build();
    }

    static Turn bid(String game, int seat, long decision) {
        return play(game, seat, decision).toBuilder()
                .setAsked(Asked.ASKED_BID)
                .clearLegal()
                .addLegal(1)
                .addLegal(2)
                .build();
    }
}
