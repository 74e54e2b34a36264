package org.bluke.sdk;

/** A suit; {@link #toString} is its letter and {@link #parse} undoes it. */
public enum Suit {
    CLUBS,
    DIAMONDS,
    HEARTS,
    SPADES;

    private static final String LETTERS = "CDHS";

    /**
     * Reads a letter.
     *
     * @throws IllegalArgumentException it is none of C, D, H, S
     */
    public static Suit parse(String text) {
        int number = LETTERS.indexOf(text);
        if (text.length() != 1 || number < 0) {
            throw new IllegalArgumentException("'" + text + "' is not a suit: C, D, H or S");
        }
        return values()[number];
    }

    @Override
    public String toString() {
        return LETTERS.substring(ordinal(), ordinal() + 1);
    }
}
