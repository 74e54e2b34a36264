import java.util.Comparator;
import java.util.List;
import org.bluke.sdk.BlukeClient;
import org.bluke.sdk.Bot;
import org.bluke.sdk.Card;
import org.bluke.sdk.View;

/**
 * A first bot: it bids its strong cards, and takes tricks while it needs them.
 *
 * <p>One is made for each seat in each game: what it keeps in its fields is the memory of one seat.
 */
public class Starter extends Bot {
    /** Counts Blukes, aces, and trumps from the ten up. The bids before yours, view.bids(), could say more. */
    @Override
    public int bid(View<Integer> view) {
        long strong = view.cards().stream().filter(card -> card.rank() >= (card.suit().equals(view.trump()) ? 8 : 12)).count();
        note("strong: " + strong); // notes are shown in the replay
        return (int) Math.max(1, strong);
    }

    /** Wins if a trick is needed, else throws the weakest card. It forgets what was played: view.tricks() has it. */
    @Override
    public Card play(View<Card> view) {
        Comparator<Card> strength = Comparator.comparingInt(
                card -> card.rank() + (card.isBluke() || card.suit().equals(view.trump()) ? 13 : 0));
        List<Card> cards = view.legal().stream().sorted(strength).toList();
        List<Card> winners = cards.stream()
                .filter(card -> view.winning().map(best -> card.beats(best.card(), view.trump())).orElse(true))
                .toList();
        if (view.needed() == 0 || winners.isEmpty()) {
            return cards.get(0);
        }
        return winners.get(view.seatsAfter().isEmpty() ? 0 : winners.size() - 1);
    }

    public static void main(String[] args) {
        new BlukeClient(Starter::new).name("@name@").run();
    }
}
