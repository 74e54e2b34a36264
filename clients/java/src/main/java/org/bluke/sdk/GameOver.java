package org.bluke.sdk;

import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Optional;

/**
 * A game is over; lists are by seat.
 *
 * @param places 1 is best and equal totals share the better place; empty for a void game
 * @param playedOut the seats that the referee took over for good
 * @param reason why it ended early, for a person; empty for a complete game
 * @param gameSeed 32 bytes; empty as long as another game on the same deal is still to be played
 */
public record GameOver(
        String gameId,
        int seat,
        Status status,
        List<Integer> totals,
        List<Integer> places,
        List<Integer> faults,
        List<Integer> playedOut,
        String reason,
        Optional<ByteString> gameSeed) {

    /** How a game ended: every hand played, ended by a fault, or counted for nobody. */
    public enum Status {
        COMPLETE,
        FORFEITED,
        VOID,
        OTHER
    }
}
