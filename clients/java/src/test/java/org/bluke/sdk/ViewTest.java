package org.bluke.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bluke.v1.Turn;
import org.junit.jupiter.api.Test;

class ViewTest {
    private static final Turn EXAMPLE = Turns.parse(Turns.EXAMPLE);

    private static List<Card> cards(String... notation) {
        return Stream.of(notation).map(Card::parse).toList();
    }

    @Test
    void everyFieldOfTheExampleIsRead() {
        Rules rules = new Rules(
                3,
                Rules.Variant.STANDARD,
                List.of(4, 3, 2),
                true,
                OptionalInt.empty(),
                OptionalInt.empty(),
                Rules.BlukeLed.FREE,
                Rules.Cut.TAP);
        View<Card> expected = new View<>(
                "5f0c2a917be3d846",
                1,
                9,
                cards("JS", "LO"),
                cards("7C", "JS", "LO"),
                Optional.of(Suit.CLUBS),
                Optional.of(Card.parse("9C")),
                0,
                4,
                1,
                List.of(1, 2, 2),
                List.of(
                        new Trick(2, cards("8D", "4D", "2S"), OptionalInt.of(2)),
                        new Trick(2, cards("QS", "TS"), OptionalInt.empty())),
                List.of(0, 0, 1),
                List.of(0, 0, 0),
                rules,
                Optional.of(Duration.ofMillis(2000)),
                Optional.of(Duration.ofMillis(59400)),
                Optional.of(new LastDecision(
                        6, Duration.ofNanos(2_603_120_000L), Duration.ofNanos(3_120_000), 39, false, false)),
                false);
        assertEquals(expected, View.ofCards(EXAMPLE));
    }

    @Test
    void whatFollowsFromTheFieldsIsWorkedOut() {
        View<Card> view = View.ofCards(EXAMPLE);
        assertEquals(2, view.myBid());
        assertEquals(0, view.myTricks());
        assertEquals(2, view.needed());
        assertEquals(1, view.neededBy(2));
        assertEquals(Optional.of(Card.parse("QS")), view.led());
        assertEquals(Optional.of(new View.Winning(2, Card.parse("QS"))), view.winning());
        assertEquals(List.of(), view.seatsAfter());
        assertEquals(
                Set.of("7C", "JS", "LO", "9C", "8D", "4D", "2S", "QS", "TS"),
                view.seen().stream().map(Card::toString).collect(Collectors.toSet()));
    }

    @Test
    void aSeatThatLeadsSeesNoTrickOnTheTable() {
        Turn.Builder turn = EXAMPLE.toBuilder();
        turn.getViewBuilder().removeTricks(1);
        View<Card> view = View.ofCards(turn.build());
        assertEquals(Optional.empty(), view.trick());
        assertEquals(Optional.empty(), view.led());
        assertEquals(Optional.empty(), view.winning());
        assertEquals(List.of(2, 0), view.seatsAfter());
    }

    @Test
    void aTrumpTakesTheTrickForTheSeatThatPlayedIt() {
        Turn.Builder turn = EXAMPLE.toBuilder();
        turn.getViewBuilder().getTricksBuilder(1).setCards(1, Card.parse("2C").index());
        assertEquals(
                Optional.of(new View.Winning(0, Card.parse("2C"))),
                View.ofCards(turn.build()).winning());
    }

    @Test
    void whatIsAbsentIsEmpty() {
        Turn.Builder turn = EXAMPLE.toBuilder().clearDecisionLeftMs().clearBankLeftMs().clearLast();
        turn.getViewBuilder().clearTrump().clearTurned();
        View<Card> view = View.ofCards(turn.build());
        assertTrue(Stream.of(view.timeLeft(), view.bankLeft(), view.last(), view.trump(), view.turned())
                .allMatch(Optional::isEmpty));
    }

    @Test
    void enumValuesOfANewerRefereeAreSomethingElse() {
        Turn.Builder turn = EXAMPLE.toBuilder();
        turn.getViewBuilder().setTrumpValue(77).getRulesBuilder().setVariantValue(77).setBlukeLedValue(77).setCutValue(77);
        View<Card> view = View.ofCards(turn.build());
        assertEquals(Optional.empty(), view.trump());
        assertEquals(Rules.Variant.OTHER, view.rules().variant());
        assertEquals(Rules.BlukeLed.OTHER, view.rules().blukeLed());
        assertEquals(Rules.Cut.OTHER, view.rules().cut());
    }

    @Test
    void listsCannotBeChanged() {
        View<Integer> view = View.ofNumbers(EXAMPLE);
        assertThrows(UnsupportedOperationException.class, () -> view.legal().add(1));
        assertThrows(UnsupportedOperationException.class, () -> view.cards().clear());
        assertThrows(UnsupportedOperationException.class, () -> view.bids().set(0, 1));
    }
}
