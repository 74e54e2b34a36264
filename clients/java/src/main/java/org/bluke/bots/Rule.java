package org.bluke.bots;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.bluke.sdk.BlukeClient;
import org.bluke.sdk.Bot;
import org.bluke.sdk.Card;
import org.bluke.sdk.View;

/**
 * Plays by two numbers for each card: the chance that it takes this trick, and that it takes a later one.
 *
 * <p>Whole numbers only, in thousandths and rounded down, so that it gives the same answers as the reference bot of this
 * name; it is a pure function of the view.
 */
public final class Rule extends Bot {
    /** Added to the worth of a hand before it is rounded down to a bid, for tricks that low cards take. */
    private static final int LUCK = 400;

    private static final Comparator<Card> WEAKEST_FIRST =
            Comparator.comparingInt(Card::rank).thenComparingInt(Card::index);

    public static void main(String[] args) {
        new BlukeClient(Rule::new).name("rule").run();
    }

    /** Adds up what the cards are worth. */
    @Override
    public int bid(View<Integer> view) {
        Sight sight = new Sight(view);
        int worth = LUCK;
        for (Card card : view.cards()) {
            worth += sight.worth(card.index(), view.size());
        }
        return Math.min(Math.max(worth / Sight.SURE, 1), view.size());
    }

    /**
     * Chooses the card whose chance now exceeds its worth later by most; the weaker one of equals.
     *
     * <p>A seat that leads and needs no trick lets go of its least useful card: what is strong is kept to stop others.
     */
    @Override
    public Card play(View<Card> view) {
        List<Card> legal = view.legal();
        if (legal.size() == 1) {
            return legal.get(0);
        }
        Sight sight = new Sight(view);
        int held = view.cards().size();
        int after = view.seatsAfter().size();
        Optional<Card> led = view.led();
        Optional<Card> winning = view.winning().map(View.Winning::card);
        boolean idle = led.isEmpty() && (view.needed() == 0 || view.needed() > held);
        Card best = legal.get(0);
        int bestGain = Integer.MIN_VALUE;
        for (Card card : legal.stream().sorted(WEAKEST_FIRST).toList()) {
            boolean loses = winning.isPresent() && !card.beats(winning.get(), view.trump());
            int now = idle || loses ? 0 : sight.stands(card.index(), led.orElse(card).index() / 13, after, held);
            int gain = now - sight.worth(card.index(), held - 1);
            if (gain > bestGain) {
                best = card;
                bestGain = gain;
            }
        }
        return best;
    }
}
