package org.bluke.bots;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.bluke.sdk.Card;
import org.bluke.sdk.View;
import org.bluke.v1.Trick;
import org.bluke.v1.Trump;
import org.bluke.v1.Turn;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Known answers: those that the reference bot of this name gives. */
class RuleTest {
    private static Turn.Builder turn(int seat, int seats, Trump trump, String turned, String cards) {
        Turn.Builder turn = Turn.newBuilder().setSeat(seat);
        turn.getViewBuilder().setTrump(trump).addAllCards(indices(cards)).getRulesBuilder().setSeats(seats);
        if (!turned.isEmpty()) {
            turn.getViewBuilder().setTurned(Card.parse(turned).index());
        }
        IntStream.range(0, seats).forEach(any -> turn.getViewBuilder().addTricksWon(0));
        return turn;
    }

    private static List<Integer> indices(String cards) {
        return notation(cards).sorted(Comparator.naturalOrder()).map(Card::index).toList();
    }

    private static Stream<Card> notation(String cards) {
        return Stream.of(cards.split(" ")).map(Card::parse);
    }

    private static Trick trick(int leader, String cards) {
        return Trick.newBuilder()
                .setLeader(leader)
                .addAllCards(notation(cards).map(Card::index).toList())
                .build();
    }

    private static String play(Turn.Builder turn, String legal) {
        return new Rule().play(View.ofCards(turn.addAllLegal(indices(legal)).build())).toString();
    }

    @ParameterizedTest
    @CsvSource({
        "4, TRUMP_SPADES, 5S, AS KS QS 9S 2S AH KH 3H QD JD 4C 2C HI, 5",
        "3, TRUMP_NONE, LO, AS KS QS 9S 2S AH KH 3H QD JD 4C 2C HI, 7",
        "15, TRUMP_CLUBS, 5C, 2C 7H LO, 1",
        "2, TRUMP_DIAMONDS, 5D, 2C 3C 7H 8H 9S, 1",
    })
    void bidsWhatItsCardsAreWorth(int seats, Trump trump, String turned, String cards, int bid) {
        Turn.Builder turn = turn(1, seats, trump, turned, cards);
        turn.getViewBuilder().setSize(cards.split(" ").length);
        assertEquals(bid, new Rule().bid(View.ofNumbers(turn.build())));
    }

    @Test
    void takesATrickWithItsCheapestWinner() {
        Turn.Builder turn = turn(2, 4, Trump.TRUMP_HEARTS, "9H", "2H KD QD 8S LO");
        turn.getViewBuilder().addAllBids(List.of(1, 2, 1, 0)).addTricks(trick(1, "TD"));
        assertEquals("QD", play(turn, "KD QD LO"));
    }

    @Test
    void leadsWhatGainsMost() {
        Turn.Builder turn = turn(1, 4, Trump.TRUMP_HEARTS, "9H", "2H KD QD 8S LO");
        turn.getViewBuilder().addAllBids(List.of(1, 2, 3, 1));
        assertEquals("QD", play(turn, "2H KD QD 8S LO"));
    }

    @Test
    void leadsItsLeastUsefulCardOnceItsBidIsMade() {
        Turn.Builder turn = turn(1, 4, Trump.TRUMP_HEARTS, "9H", "2H KD QD 8S");
        turn.getViewBuilder()
                .addAllBids(List.of(1, 1, 3, 1))
                .setTricksWon(1, 1)
                .addTricks(trick(1, "LO 3S 2C 4C").toBuilder().setWinner(1));
        assertEquals("8S", play(turn, "2H KD QD 8S"));
    }

    @Test
    void beatsALedBlukeWhereThereIsNoTrump() {
        Turn.Builder turn = turn(2, 3, Trump.TRUMP_NONE, "", "AC 2D 3D HI");
        turn.getViewBuilder().addAllBids(List.of(1, 2, 1)).addTricks(trick(1, "LO"));
        assertEquals("HI", play(turn, "AC 2D 3D HI"));
    }

    @Test
    void ruffsOverARuff() {
        Turn.Builder turn = turn(2, 5, Trump.TRUMP_SPADES, "2S", "AS 3H");
        turn.getViewBuilder()
                .addAllBids(List.of(1, 2, 1, 1, 1))
                .addTricks(trick(1, "4H 5H 6D 7D 9H").toBuilder().setWinner(0))
                .addTricks(trick(0, "KC 2C"));
        assertEquals("AS", play(turn, "AS 3H"));
    }

    @ParameterizedTest
    @CsvSource({"0, 5, 10, 1000", "1, 13, 40, 675", "3, 13, 40, 296", "2, 39, 40, 0", "5, 4, 51, 652", "13, 1, 53, 754"})
    void chancesAreRoundedDown(int marked, int drawn, int hidden, int chance) {
        assertEquals(chance, Sight.miss(marked, drawn, hidden));
    }
}
