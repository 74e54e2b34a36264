package org.bluke.sdk;

import com.google.protobuf.ByteString;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A game begins.
 *
 * @param players who sits where, by seat
 * @param commitment SHA-256 of {@code "bluke/1/commit"}, the game seed and the game id; {@link Dealing} checks it
 * @param draw the draw for the first dealer and the scorekeeper, round by round
 */
public record GameStarted(
        String gameId,
        int seat,
        String matchId,
        Rules rules,
        List<Player> players,
        Limits limits,
        ByteString commitment,
        List<List<DrawnCard>> draw,
        int dealer,
        int scorekeeper) {

    /** What a bot says of itself: show it, never trust it. */
    public record Player(String name, String version, String sdk, String author) {}

    /** One card drawn for the deal. */
    public record DrawnCard(int seat, Card card) {}

    /** How faults are treated: a fixed legal move is made and the fault counted, or the first one ends the game. */
    public enum Policy {
        LENIENT,
        STRICT,
        OTHER
    }

    /**
     * Clock and policy of one game.
     *
     * @param decision time for one decision before the bank is drawn on; empty when there is no clock
     * @param bank what each seat has for the whole game beyond that; empty when there is no clock
     * @param wall no decision may take longer than this, clock or not
     * @param grace how long a bot whose stream broke may take to come back
     * @param maxFaults a seat with this many faults is played out by the referee (lenient only)
     */
    public record Limits(
            Policy policy,
            Optional<Duration> decision,
            Optional<Duration> bank,
            Duration wall,
            Duration grace,
            int maxFaults) {}
}
