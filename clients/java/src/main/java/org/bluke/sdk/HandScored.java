package org.bluke.sdk;

import java.util.List;

/**
 * A hand was scored; every list is by seat.
 *
 * @param hand number of the hand
 * @param tricks tricks taken
 * @param points points won or lost in this hand
 * @param totals points after it
 */
public record HandScored(
        String gameId,
        int seat,
        int hand,
        List<Integer> bids,
        List<Integer> tricks,
        List<Integer> points,
        List<Integer> totals,
        List<Outcome> outcomes) {

    /** What became of a bid: fewer tricks, more, or exactly as many. */
    public enum Outcome {
        SET,
        OVERTRICKS,
        PERFECT,
        OTHER
    }
}
