package org.bluke.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CardTest {
    @Test
    void notationAndIndexUndoEachOther() {
        for (Card card : Card.ALL) {
            assertSame(card, Card.parse(card.toString()));
            assertSame(card, Card.of(card.index()));
        }
    }

    @ParameterizedTest
    @CsvSource({"2C, 0, 0, C", "AC, 12, 12, C", "2D, 13, 0, D", "TH, 34, 8, H", "AS, 51, 12, S"})
    void suitsAndRanksAreCountedAsTheRulesDo(String notation, int index, int rank, String suit) {
        Card card = Card.parse(notation);
        assertEquals(index, card.index());
        assertEquals(rank, card.rank());
        assertEquals(Optional.of(Suit.parse(suit)), card.suit());
    }

    @Test
    void blukesHaveNoSuitAndRankAboveTheAce() {
        assertEquals(List.of("LO", "HI"), List.of(Card.LO.toString(), Card.HI.toString()));
        assertEquals(List.of(13, 14), List.of(Card.LO.rank(), Card.HI.rank()));
        assertEquals(Optional.empty(), Card.HI.suit());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "9", "9h", "10H", "H9", "lo", "9H "})
    void whatIsNoCardIsRefused(String text) {
        assertThrows(IllegalArgumentException.class, () -> Card.parse(text));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 54, Integer.MAX_VALUE})
    void whatIsNoIndexIsRefused(int index) {
        assertThrows(IllegalArgumentException.class, () -> Card.of(index));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "X", "c", "CD"})
    void whatIsNoSuitIsRefused(String text) {
        assertThrows(IllegalArgumentException.class, () -> Suit.parse(text));
    }

    @ParameterizedTest
    @CsvSource({
        "3H, 2H, C, true", // a higher card of the suit led
        "2H, 3H, C, false",
        "AS, 2H, C, false", // a card of another suit
        "2C, AH, C, true", // a trump
        "2C, AH, , false", // no trump in this hand
        "2C, 3C, C, false",
        "LO, AC, C, true", // a Bluke
        "AC, LO, C, false",
        "HI, LO, C, true",
        "LO, HI, C, false",
    })
    void cardsBeatEachOtherAsTheRulesSay(String card, String best, String trump, boolean beats) {
        Optional<Suit> suit = Optional.ofNullable(trump).map(Suit::parse);
        assertEquals(beats, Card.parse(card).beats(Card.parse(best), suit));
    }
}
