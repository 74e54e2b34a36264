package org.bluke.sdk;

import java.util.List;
import java.util.OptionalInt;

/**
 * The rules of one game; they never change while it lasts.
 *
 * @param seats 2 to 15
 * @param hands the size of every hand, in the order in which they are dealt
 * @param customHands whether {@code hands} was given as a list
 * @param maxHand the largest hand, where it was chosen
 * @param lastHand where the way back up ends, where it was chosen
 */
public record Rules(
        int seats,
        Variant variant,
        List<Integer> hands,
        boolean customHands,
        OptionalInt maxHand,
        OptionalInt lastHand,
        BlukeLed blukeLed,
        Cut cut) {

    /** Which form of the game is played. {@code OTHER} comes from a referee newer than this SDK, here and below. */
    public enum Variant {
        STANDARD,
        NEW_JERSEY,
        OTHER
    }

    /** What a led Bluke asks of the other seats; has no meaning in the New Jersey variant. */
    public enum BlukeLed {
        FREE,
        TRUMP,
        OTHER
    }

    /** Who cuts: the referee taps every time, or the seat left of the dealer is asked. */
    public enum Cut {
        TAP,
        PLAYER,
        OTHER
    }
}
