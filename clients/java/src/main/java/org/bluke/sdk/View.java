package org.bluke.sdk;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.bluke.v1.Turn;

/**
 * All that one seat knows of its game at one moment: enough to decide without any memory.
 *
 * <p>Seats, hands and tricks count from 0; seat s+1 sits to the left of seat s. Lists "by seat" have one entry for each.
 * No list can be changed.
 *
 * @param <A> what is asked for: a {@link Card} to play, or the number of a cut or bid
 * @param gameId the game
 * @param seat this bot's seat in it
 * @param decisionId number of this decision; grows within the game
 * @param legal every legal answer, in rising order, never empty
 * @param cards what this seat still holds, in index order
 * @param trump the trump of the hand; empty for no trump, and before the cut
 * @param turned the card turned up; empty before the cut, and when the whole pack was dealt
 * @param hand number of this hand
 * @param size cards dealt to each seat in this hand
 * @param dealer the dealer of this hand
 * @param bids by seat; 0 for a seat that has not bid yet (zero is not a bid)
 * @param tricks the tricks of this hand so far, the one being played last
 * @param tricksWon tricks taken in this hand, by seat
 * @param totals points before this hand, by seat
 * @param rules the rules in force
 * @param timeLeft time for this decision before the bank is drawn on; empty when there is no clock
 * @param bankLeft time in this seat's bank; empty when there is no clock
 * @param last what the referee made of this seat's last decision; empty on the first
 * @param again whether the decision was asked before, on a stream that broke; its clock has run on
 */
public record View<A>(
        String gameId,
        int seat,
        long decisionId,
        List<A> legal,
        List<Card> cards,
        Optional<Suit> trump,
        Optional<Card> turned,
        int hand,
        int size,
        int dealer,
        List<Integer> bids,
        List<Trick> tricks,
        List<Integer> tricksWon,
        List<Integer> totals,
        Rules rules,
        Optional<Duration> timeLeft,
        Optional<Duration> bankLeft,
        Optional<LastDecision> last,
        boolean again) {

    /** A seat and the card it played. */
    public record Winning(int seat, Card card) {}

    /** The view of a turn that asks for a cut or a bid. */
    public static View<Integer> ofNumbers(Turn turn) {
        return Wire.view(turn, turn.getLegalList());
    }

    /** The view of a turn that asks for a card. */
    public static View<Card> ofCards(Turn turn) {
        return Wire.view(turn, Wire.cards(turn.getLegalList()));
    }

    /** This seat's bid; 0 before it has bid. */
    public int myBid() {
        return bids.get(seat);
    }

    /** Tricks that this seat has taken in this hand. */
    public int myTricks() {
        return tricksWon.get(seat);
    }

    /** Tricks that this seat still needs to make its bid; 0 once it has made it, and before it bids. */
    public int needed() {
        return neededBy(seat);
    }

    /** Tricks that {@code other} still needs to make its bid; 0 once it has made it, and before it bids. */
    public int neededBy(int other) {
        return Math.max(0, bids.get(other) - tricksWon.get(other));
    }

    /** The trick on the table; empty when this seat is to lead, and while bidding. */
    public Optional<Trick> trick() {
        if (tricks.isEmpty()) {
            return Optional.empty();
        }
        Trick trick = tricks.get(tricks.size() - 1);
        return trick.cards().isEmpty() || trick.winner().isPresent() ? Optional.empty() : Optional.of(trick);
    }

    /** The card led to the trick on the table, if any. */
    public Optional<Card> led() {
        return trick().map(trick -> trick.cards().get(0));
    }

    /** The seat that is taking the trick on the table and its card; empty when this seat is to lead. */
    public Optional<Winning> winning() {
        return trick().map(trick -> {
            List<Card> cards = trick.cards();
            int best = 0;
            for (int at = 1; at < cards.size(); at++) {
                if (cards.get(at).beats(cards.get(best), trump)) {
                    best = at;
                }
            }
            return new Winning((trick.leader() + best) % rules.seats(), cards.get(best));
        });
    }

    /** The seats that play to the trick on the table after this one, in order; when leading, all others. */
    public List<Integer> seatsAfter() {
        int played = trick().map(trick -> trick.cards().size()).orElse(0);
        // No more than there are cards, however many a referee may say there are.
        int after = Math.min(rules.seats(), Card.ALL.size()) - 1 - played;
        return IntStream.rangeClosed(1, after)
                .mapToObj(step -> (seat + step) % rules.seats())
                .toList();
    }

    /** Every card of this hand whose place is known: held, turned up or played. */
    public Set<Card> seen() {
        Set<Card> seen = new HashSet<>(cards);
        turned.ifPresent(seen::add);
        tricks.forEach(trick -> seen.addAll(trick.cards()));
        return seen;
    }
}
