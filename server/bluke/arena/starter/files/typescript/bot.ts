// A first bot: it bids its strong cards, and takes tricks while it needs them.

import { type BidView, Bot, type Card, type PlayView, run } from "bluke-sdk";

// One is made for each seat in each game: what it keeps in `this` is the memory of one seat.
class Starter extends Bot {
  // Counts Blukes, aces, and trumps from the ten up. The bids before yours, `view.bids`, could say more.
  bid(view: BidView): number {
    const strong = view.cards.filter((card) => card.rank >= (card.suit === view.trump ? 8 : 12));
    this.note(`strong: ${strong.length}`); // notes are shown in the replay
    return Math.max(1, strong.length);
  }

  // Wins if a trick is needed, else throws the weakest card. It forgets what was played: `view.tricks` has it.
  play(view: PlayView): Card {
    const strength = (card: Card) => card.rank + (card.isBluke || card.suit === view.trump ? 13 : 0);
    const cards = view.legal.toSorted((a, b) => strength(a) - strength(b));
    const best = view.winning?.card;
    const winners = cards.filter((card) => !best || card.beats(best, view.trump));
    const winner = view.seatsAfter.length > 0 ? winners.at(-1) : winners[0];
    return view.needed > 0 && winner ? winner : cards[0]!;
  }
}

await run(Starter, { name: "@name@" });
