// Plays by two numbers for each card: the chance that it takes this trick, and that it takes a later one.
//
// Whole numbers only, in thousandths and rounded down, so that the same bot can be written in any
// language; it is a pure function of the view. The chances come from counting: a card that this seat has
// not seen is as likely to be in one place as in any other.

import { type BidView, Bot, Card, type PlayView, SUITS, type View } from "bluke-sdk";

const SURE = 1000;
/** The least that a trump is worth, the two and each rank above it: it may ruff, or be left over in the end. */
const TRUMP_WORTH = 300;
const TRUMP_STEP = 40;
/** Added to the worth of a hand before it is rounded down to a bid, for tricks that low cards take. */
const LUCK = 400;

/** The number of a card's suit; the Blukes are a fifth. */
const BLUKES = 4;
const suitOf = (card: Card): number => (card.suit ? SUITS.indexOf(card.suit) : BLUKES);

const chances = new Map<number, number>();

/** The chance that `drawn` cards out of `hidden` hold none of the `marked` ones, in thousandths. */
function miss(marked: number, drawn: number, hidden: number): number {
  const key = (marked * 1024 + drawn) * 64 + hidden;
  let chance = chances.get(key);
  if (chance === undefined) chances.set(key, (chance = workOut(marked, drawn, hidden)));
  return chance;
}

function workOut(marked: number, drawn: number, hidden: number): number {
  let chance = 1_000_000;
  for (let i = 0; i < marked; i += 1) {
    const left = hidden - drawn - i;
    if (left <= 0) return 0;
    chance = Math.floor((chance * left) / (hidden - i));
  }
  return Math.floor(chance / 1000);
}

/** What one seat makes of the cards that it cannot see: those neither held nor turned up nor played. */
class Sight {
  /** Whether a card is hidden, by its index. */
  readonly #hidden = new Array<boolean>(54).fill(true);
  /** How many hidden cards there are of each suit, the Blukes last. */
  readonly #ofSuit = [13, 13, 13, 13, 2];
  /** How many there are in all. */
  readonly #count: number;
  /** Number of the trump suit, -1 for none. */
  readonly #trump: number;
  /** Number of the other seats. */
  readonly #others: number;

  constructor(view: View) {
    const seen = view.seen;
    for (const card of seen) {
      this.#hidden[card.index] = false;
      this.#ofSuit[suitOf(card)]! -= 1;
    }
    this.#count = 54 - seen.size;
    this.#trump = view.trump ? SUITS.indexOf(view.trump) : -1;
    this.#others = view.rules.seats - 1;
  }

  /** How many hidden cards beat `card` in a trick of its own suit, but for ruffs. */
  #above(card: Card): number {
    const suit = suitOf(card);
    const end = Math.min(13 * suit + 13, 54);
    let above = suit === BLUKES ? 0 : this.#ofSuit[BLUKES]!;
    for (let index = card.index + 1; index < end; index += 1) if (this.#hidden[index]) above += 1;
    return above;
  }

  /**
   * The chance that none of `seats` seats with `held` cards each will beat `card`, which is winning a
   * trick of the suit `led`, in thousandths.
   */
  stands(card: Card, led: number, seats: number, held: number): number {
    const suit = suitOf(card);
    const above = this.#above(card);
    if (suit === BLUKES || (suit === this.#trump && suit === led)) return miss(above, seats * held, this.#count);
    // A seat that has none of the suit led may ruff; of a trump, only such a seat may play a better one.
    const ofLed = this.#ofSuit[led]!;
    const none = miss(ofLed, held, this.#count);
    let one = miss(above, held, this.#count);
    if (suit === this.#trump) {
      one = SURE - Math.floor((none * (SURE - one)) / SURE);
    } else if (this.#trump >= 0) {
      const trumps = miss(this.#ofSuit[this.#trump]!, held, this.#count - ofLed);
      one = Math.max(0, one - Math.floor((none * (SURE - trumps)) / SURE));
    }
    let chance = SURE;
    for (let seat = 0; seat < seats; seat += 1) chance = Math.floor((chance * one) / SURE);
    return chance;
  }

  /** The chance that `card` takes a trick when every other seat holds `held` cards, in thousandths. */
  worth(card: Card, held: number): number {
    const suit = suitOf(card);
    const chance = this.stands(card, suit, this.#others, held);
    return suit === this.#trump ? Math.max(chance, TRUMP_WORTH + TRUMP_STEP * card.rank) : chance;
  }
}

/** Bids what its cards are worth, and spends the card that gives most for what it would be worth later. */
export class Rule extends Bot {
  /** Add up what the cards are worth. */
  bid(view: BidView): number {
    const sight = new Sight(view);
    const worth = view.cards.reduce((sum, card) => sum + sight.worth(card, view.size), 0);
    return Math.min(Math.max(Math.floor((worth + LUCK) / SURE), 1), view.size);
  }

  /**
   * Choose the card whose chance now exceeds its worth later by most; the weaker one of equals.
   *
   * So the last seat to play takes a trick with its cheapest winner, and where nothing can win the least
   * useful card goes. A seat that leads and needs no trick lets go of its least useful card too: what is
   * strong is kept to stop others.
   */
  play(view: PlayView): Card {
    const sight = new Sight(view);
    const held = view.cards.length;
    const after = view.seatsAfter.length;
    const { led, winning, needed } = view;
    const idle = !led && !(needed > 0 && needed <= held);
    let [best] = view.legal as readonly [Card];
    if (view.legal.length === 1) return best;
    let bestGain = -Infinity;
    for (const card of view.legal.toSorted((a, b) => a.rank - b.rank || a.index - b.index)) {
      const loses = idle || (winning && !card.beats(winning.card, view.trump));
      const now = loses ? 0 : sight.stands(card, suitOf(led ?? card), after, held);
      const gain = now - sight.worth(card, held - 1);
      if (gain > bestGain) [best, bestGain] = [card, gain];
    }
    return best;
  }
}
