package org.bluke.sdk;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.bluke.v1.BlukeLed;
import org.bluke.v1.CutRule;
import org.bluke.v1.GameResult;
import org.bluke.v1.GameStatus;
import org.bluke.v1.HandResult;
import org.bluke.v1.Outcome;
import org.bluke.v1.Policy;
import org.bluke.v1.Trump;
import org.bluke.v1.Turn;
import org.bluke.v1.Variant;

/** Protocol messages to values. Enum values of a newer referee become {@code OTHER}, and an unknown trump none. */
final class Wire {
    private static final Map<Trump, Suit> TRUMPS = Map.of(
            Trump.TRUMP_CLUBS, Suit.CLUBS,
            Trump.TRUMP_DIAMONDS, Suit.DIAMONDS,
            Trump.TRUMP_HEARTS, Suit.HEARTS,
            Trump.TRUMP_SPADES, Suit.SPADES);
    private static final Map<Variant, Rules.Variant> VARIANTS = Map.of(
            Variant.VARIANT_STANDARD, Rules.Variant.STANDARD,
            Variant.VARIANT_NEW_JERSEY, Rules.Variant.NEW_JERSEY);
    private static final Map<BlukeLed, Rules.BlukeLed> BLUKE_LED = Map.of(
            BlukeLed.BLUKE_LED_FREE, Rules.BlukeLed.FREE,
            BlukeLed.BLUKE_LED_TRUMP, Rules.BlukeLed.TRUMP);
    private static final Map<CutRule, Rules.Cut> CUTS = Map.of(
            CutRule.CUT_RULE_TAP, Rules.Cut.TAP,
            CutRule.CUT_RULE_PLAYER, Rules.Cut.PLAYER);
    private static final Map<Outcome, HandScored.Outcome> OUTCOMES = Map.of(
            Outcome.OUTCOME_SET, HandScored.Outcome.SET,
            Outcome.OUTCOME_OVERTRICKS, HandScored.Outcome.OVERTRICKS,
            Outcome.OUTCOME_PERFECT, HandScored.Outcome.PERFECT);
    private static final Map<Policy, GameStarted.Policy> POLICIES = Map.of(
            Policy.POLICY_LENIENT, GameStarted.Policy.LENIENT,
            Policy.POLICY_STRICT, GameStarted.Policy.STRICT);
    private static final Map<GameStatus, GameOver.Status> STATUSES = Map.of(
            GameStatus.GAME_STATUS_COMPLETE, GameOver.Status.COMPLETE,
            GameStatus.GAME_STATUS_FORFEITED, GameOver.Status.FORFEITED,
            GameStatus.GAME_STATUS_VOID, GameOver.Status.VOID);

    private Wire() {}

    static List<Card> cards(List<Integer> indices) {
        return indices.stream().map(Card::of).toList();
    }

    static <A> View<A> view(Turn turn, List<A> legal) {
        org.bluke.v1.View view = turn.getView();
        return new View<>(
                turn.getGameId(),
                turn.getSeat(),
                turn.getDecisionId(),
                List.copyOf(legal),
                cards(view.getCardsList()),
                Optional.ofNullable(TRUMPS.get(view.getTrump())),
                view.hasTurned() ? Optional.of(Card.of(view.getTurned())) : Optional.empty(),
                view.getHand(),
                view.getSize(),
                view.getDealer(),
                List.copyOf(view.getBidsList()),
                view.getTricksList().stream().map(Wire::trick).toList(),
                List.copyOf(view.getTricksWonList()),
                List.copyOf(view.getTotalsList()),
                rules(view.getRules()),
                millis(turn.hasDecisionLeftMs(), turn.getDecisionLeftMs()),
                millis(turn.hasBankLeftMs(), turn.getBankLeftMs()),
                turn.hasLast() ? Optional.of(last(turn.getLast())) : Optional.empty(),
                turn.getAgain());
    }

    static GameStarted gameStarted(org.bluke.v1.GameStarted message) {
        org.bluke.v1.GameLimits limits = message.getLimits();
        return new GameStarted(
                message.getGameId(),
                message.getSeat(),
                message.getMatchId(),
                rules(message.getRules()),
                message.getPlayersList().stream()
                        .map(p -> new GameStarted.Player(p.getName(), p.getVersion(), p.getSdk(), p.getAuthor()))
                        .toList(),
                new GameStarted.Limits(
                        POLICIES.getOrDefault(limits.getPolicy(), GameStarted.Policy.OTHER),
                        millis(limits.hasDecisionMs(), limits.getDecisionMs()),
                        millis(limits.hasBankMs(), limits.getBankMs()),
                        Duration.ofMillis(Integer.toUnsignedLong(limits.getWallMs())),
                        Duration.ofMillis(Integer.toUnsignedLong(limits.getGraceMs())),
                        limits.getMaxFaults()),
                message.getCommitment(),
                message.getDrawList().stream()
                        .map(round -> round.getCardsList().stream()
                                .map(drawn -> new GameStarted.DrawnCard(drawn.getSeat(), Card.of(drawn.getCard())))
                                .toList())
                        .toList(),
                message.getDealer(),
                message.getScorekeeper());
    }

    static HandScored handScored(org.bluke.v1.HandScored message) {
        HandResult result = message.getResult();
        return new HandScored(
                message.getGameId(),
                message.getSeat(),
                result.getHand(),
                List.copyOf(result.getBidsList()),
                List.copyOf(result.getTricksList()),
                List.copyOf(result.getPointsList()),
                List.copyOf(result.getTotalsList()),
                result.getOutcomesList().stream()
                        .map(outcome -> OUTCOMES.getOrDefault(outcome, HandScored.Outcome.OTHER))
                        .toList());
    }

    static GameOver gameOver(org.bluke.v1.GameOver message) {
        GameResult result = message.getResult();
        return new GameOver(
                message.getGameId(),
                message.getSeat(),
                STATUSES.getOrDefault(result.getStatus(), GameOver.Status.OTHER),
                List.copyOf(result.getTotalsList()),
                List.copyOf(result.getPlacesList()),
                List.copyOf(result.getFaultsList()),
                List.copyOf(result.getPlayedOutList()),
                result.getReason(),
                message.hasGameSeed() ? Optional.of(message.getGameSeed()) : Optional.empty());
    }

    private static Rules rules(org.bluke.v1.Rules rules) {
        return new Rules(
                rules.getSeats(),
                VARIANTS.getOrDefault(rules.getVariant(), Rules.Variant.OTHER),
                List.copyOf(rules.getHandsList()),
                rules.getCustomHands(),
                rules.hasMaxHand() ? OptionalInt.of(rules.getMaxHand()) : OptionalInt.empty(),
                rules.hasLastHand() ? OptionalInt.of(rules.getLastHand()) : OptionalInt.empty(),
                BLUKE_LED.getOrDefault(rules.getBlukeLed(), Rules.BlukeLed.OTHER),
                CUTS.getOrDefault(rules.getCut(), Rules.Cut.OTHER));
    }

    private static Trick trick(org.bluke.v1.Trick trick) {
        return new Trick(
                trick.getLeader(),
                cards(trick.getCardsList()),
                trick.hasWinner() ? OptionalInt.of(trick.getWinner()) : OptionalInt.empty());
    }

    private static LastDecision last(org.bluke.v1.LastDecision last) {
        return new LastDecision(
                last.getDecisionId(),
                Duration.of(last.getMeasuredUs(), ChronoUnit.MICROS),
                Duration.of(last.getExcusedUs(), ChronoUnit.MICROS),
                last.getApplied(),
                last.getByReferee(),
                last.getExcused());
    }

    private static Optional<Duration> millis(boolean present, int millis) {
        return present ? Optional.of(Duration.ofMillis(Integer.toUnsignedLong(millis))) : Optional.empty();
    }
}
