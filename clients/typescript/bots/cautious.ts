import { Bot, type BidView, type Card, type PlayView, run } from "bluke-sdk";

class Cautious extends Bot {
  bid(view: BidView): number {
    this.note(`${view.cards.length} cards, and not one that I trust`);
    return 1;
  }

  play(view: PlayView): Card {
    return view.legal.reduce((best, card) => (card.rank > best.rank ? card : best));
  }
}

await run(Cautious, { author: "me" });
