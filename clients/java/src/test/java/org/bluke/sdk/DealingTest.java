package org.bluke.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.bluke.sdk.GameStarted.DrawnCard;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The worked cases of the project, read where they are. */
class DealingTest {
    private static final JsonObject VECTORS = read(Path.of("../../tests/vectors/dealing.json"));

    private static JsonObject read(Path path) {
        try {
            return JsonParser.parseString(Files.readString(path)).getAsJsonObject();
        } catch (IOException error) {
            throw new IllegalStateException("run the tests in the client's folder of a whole checkout", error);
        }
    }

    private static Stream<JsonObject> cases(String name) {
        return all(VECTORS.get(name)).map(JsonElement::getAsJsonObject);
    }

    static Stream<JsonObject> games() {
        return cases("games");
    }

    static Stream<JsonObject> deals() {
        return cases("special_deals");
    }

    static Stream<JsonObject> draws() {
        return cases("draws_with_ties");
    }

    private static Stream<JsonElement> all(JsonElement array) {
        return StreamSupport.stream(array.getAsJsonArray().spliterator(), false);
    }

    private static List<Card> cards(JsonElement array) {
        return all(array).map(card -> Card.parse(card.getAsString())).toList();
    }

    private static List<List<Card>> hands(JsonElement array) {
        return all(array).map(DealingTest::cards).toList();
    }

    private static List<List<DrawnCard>> rounds(JsonElement array) {
        return all(array)
                .map(round -> all(round)
                        .map(JsonElement::getAsJsonArray)
                        .map(drawn -> new DrawnCard(
                                drawn.get(0).getAsInt(), Card.parse(drawn.get(1).getAsString())))
                        .toList())
                .toList();
    }

    private static <T> Optional<T> optional(JsonElement text, Function<String, T> parse) {
        return text.isJsonNull() ? Optional.empty() : Optional.of(parse.apply(text.getAsString()));
    }

    private static ByteString seed(JsonObject one) {
        ByteString match = ByteString.copyFromUtf8(one.get("match_seed_text").getAsString());
        return Dealing.gameSeed(match, one.get("deal").getAsLong());
    }

    private static ByteString hex(JsonElement text) {
        return ByteString.copyFrom(HexFormat.of().parseHex(text.getAsString()));
    }

    private static Rules rules(JsonObject game, Rules.Cut cut) {
        List<Integer> hands = all(game.get("schedule")).map(JsonElement::getAsInt).toList();
        return new Rules(
                game.get("seats").getAsInt(),
                Rules.Variant.STANDARD,
                hands,
                true,
                OptionalInt.empty(),
                OptionalInt.empty(),
                Rules.BlukeLed.FREE,
                cut);
    }

    private static GameStarted started(JsonObject game) {
        return new GameStarted(
                game.get("game").getAsString(),
                0,
                "",
                rules(game, Rules.Cut.TAP),
                List.of(),
                new GameStarted.Limits(
                        GameStarted.Policy.LENIENT,
                        Optional.empty(),
                        Optional.empty(),
                        Duration.ZERO,
                        Duration.ZERO,
                        3),
                hex(game.get("commitment")),
                rounds(game.get("rounds")),
                game.get("dealer").getAsInt(),
                game.get("scorekeeper").getAsInt());
    }

    @ParameterizedTest
    @MethodSource("games")
    void seedsPacksAndDealsAreThoseOfTheWorkedCases(JsonObject game) {
        ByteString seed = seed(game);
        assertEquals(hex(game.get("game_seed")), seed);
        assertEquals(cards(game.get("draw_pack")), Dealing.drawPack(seed));
        Dealing dealing = new Dealing(seed, rules(game, Rules.Cut.TAP));
        for (JsonElement one : game.getAsJsonArray("hands")) {
            JsonObject hand = one.getAsJsonObject();
            int number = hand.get("hand").getAsInt();
            Dealing.Deal deal = dealing.hand(number);
            assertEquals(hands(hand.get("cards")), deal.hands());
            assertEquals(hand.get("dealer").getAsInt(), dealing.dealer(number));
            assertEquals(optional(hand.get("turned"), Card::parse), deal.turned(0));
            assertEquals(optional(hand.get("trump"), Suit::parse), deal.turned(0).flatMap(Card::suit));
        }
    }

    @ParameterizedTest
    @MethodSource("games")
    void aGameThatBeganAsItsSeedSaysFits(JsonObject game) {
        GameStarted started = started(game);
        assertEquals(List.of(), new Dealing(seed(game), started.rules()).differences(started));
    }

    @ParameterizedTest
    @MethodSource("deals")
    void wholePacksAndCutsAreThoseOfTheWorkedCases(JsonObject one) {
        Dealing.Deal deal = Dealing.deal(
                Dealing.handPack(seed(one), one.get("hand").getAsInt()),
                one.get("seats").getAsInt(),
                one.get("size").getAsInt(),
                one.get("dealer").getAsInt());
        assertEquals(hands(one.get("cards")), deal.hands());
        assertEquals(cards(one.get("remaining")), deal.rest());
        assertEquals(optional(one.get("turned"), Card::parse), deal.turned(one.get("cut").getAsInt()));
    }

    @ParameterizedTest
    @MethodSource("draws")
    void tiesAreDrawnAgainAsInTheWorkedCases(JsonObject one) {
        Dealing.Draw draw = Dealing.draw(
                Dealing.drawPack(seed(one)), one.get("seats").getAsInt());
        Dealing.Draw expected = new Dealing.Draw(
                rounds(one.get("rounds")),
                one.get("dealer").getAsInt(),
                one.get("scorekeeper").getAsInt());
        assertEquals(expected, draw);
    }

    @Test
    void aPackThatRunsOutGivesTheDrawToTheLowestTiedSeat() {
        List<Card> twos = Stream.of("2C", "2D", "2H", "2S").map(Card::parse).toList();
        Dealing.Draw draw = Dealing.draw(twos, 3);
        assertEquals(0, draw.dealer());
        assertEquals(0, draw.scorekeeper());
        assertEquals(1, draw.rounds().size());
    }

    @Test
    void anotherSeedDoesNotFit() {
        GameStarted started = started(games().findFirst().orElseThrow());
        Dealing other = new Dealing(ByteString.copyFrom(new byte[32]), started.rules());
        List<String> what = other.differences(started).stream()
                .map(difference -> difference.split(" was ")[0])
                .toList();
        assertEquals(List.of("the commitment", "the draw"), what.subList(0, 2));
    }

    @Test
    void aSeedOfAnotherLengthIsRefused() {
        Rules rules = rules(games().findFirst().orElseThrow(), Rules.Cut.TAP);
        assertThrows(IllegalArgumentException.class, () -> new Dealing(ByteString.EMPTY, rules));
    }

    /** What seat 1 sees in the middle of hand 1: it has played its first card. */
    private static View<Integer> seen(JsonObject game, Rules rules, Optional<Card> turned) {
        JsonObject hand = game.getAsJsonArray("hands").get(1).getAsJsonObject();
        List<Card> held = new ArrayList<>(cards(hand.getAsJsonArray("cards").get(1)));
        Trick trick = new Trick(0, List.of(Card.HI, held.remove(0)), OptionalInt.empty());
        return new View<>(
                "game",
                1,
                1,
                List.of(1),
                held,
                turned.flatMap(Card::suit),
                turned,
                1,
                hand.get("size").getAsInt(),
                hand.get("dealer").getAsInt(),
                List.of(),
                List.of(trick),
                List.of(),
                List.of(),
                rules,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                false);
    }

    @Test
    void aHandThatWasDealtAsItsSeedSaysFits() {
        JsonObject game = games().findFirst().orElseThrow();
        Rules rules = rules(game, Rules.Cut.TAP);
        Dealing dealing = new Dealing(seed(game), rules);
        View<Integer> view = seen(game, rules, dealing.hand(1).turned(0));
        assertEquals(List.of(), dealing.differences(view));
    }

    @Test
    void whatWasTurnedUpByACutFitsOnlyWhereSeatsCut() {
        JsonObject game = games().findFirst().orElseThrow();
        for (Rules.Cut cut : List.of(Rules.Cut.TAP, Rules.Cut.PLAYER)) {
            Rules rules = rules(game, cut);
            Dealing dealing = new Dealing(seed(game), rules);
            View<Integer> view = seen(game, rules, dealing.hand(1).turned(3));
            assertEquals(cut == Rules.Cut.TAP ? 1 : 0, dealing.differences(view).size());
        }
    }

    @Test
    void aCardThatWasNotDealtIsFound() {
        JsonObject game = games().findFirst().orElseThrow();
        Rules rules = rules(game, Rules.Cut.TAP);
        Dealing dealing = new Dealing(seed(game), rules);
        JsonArray dealt = game.getAsJsonArray("hands").get(1).getAsJsonObject().getAsJsonArray("cards");
        Card own = cards(dealt.get(1)).get(1);
        Card another = cards(dealt.get(0)).get(0);
        View<Integer> view = seen(game, rules, dealing.hand(1).turned(0));
        List<Card> held = new ArrayList<>(view.cards());
        held.set(held.indexOf(own), another);
        View<Integer> changed = new View<>(
                view.gameId(),
                view.seat(),
                view.decisionId(),
                view.legal(),
                held,
                view.trump(),
                view.turned(),
                view.hand(),
                view.size(),
                view.dealer(),
                view.bids(),
                view.tricks(),
                view.tricksWon(),
                view.totals(),
                view.rules(),
                view.timeLeft(),
                view.bankLeft(),
                view.last(),
                view.again());
        List<String> differences = dealing.differences(changed);
        assertEquals(1, differences.size());
        assertEquals("hand 1: the cards of seat 1", differences.get(0).split(" was ")[0]);
    }
}
