package org.bluke.sdk;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * One of the 54 cards. {@link #toString} is its notation ({@code 9H}, {@code TD}, {@code LO}, {@code HI}) and {@link
 * #parse} undoes it.
 *
 * <p>There is one object for each card. Cards compare by index, which is not their strength in a trick: ask {@link
 * #beats} for that.
 */
public final class Card implements Comparable<Card> {
    private static final String RANKS = "23456789TJQKA";

    /** All cards in index order: {@code 2C … AC 2D … AD 2H … AH 2S … AS LO HI}. */
    public static final List<Card> ALL = IntStream.range(0, 54).mapToObj(Card::new).toList();

    /** The Lo Bluke. */
    public static final Card LO = ALL.get(52);

    /** The Hi Bluke. */
    public static final Card HI = ALL.get(53);

    private static final Map<String, Card> BY_NOTATION =
            ALL.stream().collect(Collectors.toUnmodifiableMap(Card::toString, Function.identity()));

    private final int index;
    private final Optional<Suit> suit;
    private final int rank;
    private final String notation;

    private Card(int index) {
        this.index = index;
        if (index < 52) {
            Suit suit = Suit.values()[index / 13];
            this.suit = Optional.of(suit);
            this.rank = index % 13;
            this.notation = RANKS.charAt(rank) + suit.toString();
        } else {
            this.suit = Optional.empty();
            this.rank = index - 39;
            this.notation = index == 52 ? "LO" : "HI";
        }
    }

    /**
     * The card of an index.
     *
     * @throws IllegalArgumentException it is not 0 to 53
     */
    public static Card of(int index) {
        if (index < 0 || index >= ALL.size()) {
            throw new IllegalArgumentException(
                    "there is no card " + Integer.toUnsignedString(index) + ": cards are 0 to 53");
        }
        return ALL.get(index);
    }

    /**
     * Reads the notation of one card.
     *
     * @throws IllegalArgumentException it is not a card
     */
    public static Card parse(String text) {
        Card card = BY_NOTATION.get(text);
        if (card == null) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a card: rank 2-9TJQKA and suit CDHS, such as TD, or LO or HI");
        }
        return card;
    }

    /** Its number in the protocol, 0 to 53. */
    public int index() {
        return index;
    }

    /** Its suit; empty for a Bluke. */
    public Optional<Suit> suit() {
        return suit;
    }

    /** 0 for a two to 12 for an ace; 13 and 14 for the Lo and the Hi Bluke. */
    public int rank() {
        return rank;
    }

    /** Whether it is one of the two jokers. */
    public boolean isBluke() {
        return index >= 52;
    }

    /**
     * Whether this card, played later, takes a trick that {@code best} would take so far.
     *
     * @param best the card that is winning, which is of the suit led, a trump or a Bluke
     * @param trump the trump of the hand, if any
     */
    public boolean beats(Card best, Optional<Suit> trump) {
        if (isBluke() || best.isBluke()) {
            return index > best.index;
        }
        return suit.equals(best.suit) ? rank > best.rank : suit.equals(trump);
    }

    @Override
    public int compareTo(Card other) {
        return Integer.compare(index, other.index);
    }

    @Override
    public String toString() {
        return notation;
    }
}
