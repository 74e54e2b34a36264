// What a bot is shown: one view for each decision, and what it is told between them.
//
// Seats, hands and tricks count from 0; seat s + 1 sits to the left of seat s. Lists "by seat" have one
// entry for each seat. Times are milliseconds. "other" comes from a referee newer than this SDK.

import type { Card, Suit } from "./cards.js";

/** Which form of the game is played. */
export type Variant = "standard" | "new_jersey" | "other";
/** What a led Bluke asks of the other seats; has no meaning in the New Jersey variant. */
export type BlukeLed = "free" | "trump" | "other";
/** Who cuts: the referee taps every time, or the seat left of the dealer is asked. */
export type CutRule = "tap" | "player" | "other";
/** What became of a bid: set, made with overtricks, or made exactly (perfect). */
export type Outcome = "S" | "O" | "P" | "other";
/** How faults are treated: a fixed legal move is made and the fault counted, or the first one ends the game. */
export type Policy = "lenient" | "strict" | "other";
/** How a game ended: every hand played, ended by a fault, or counted for nobody. */
export type Status = "complete" | "forfeited" | "void" | "other";
/** What a seat did wrong. */
export type FaultKind = "illegal" | "timeout" | "disconnected" | "protocol" | "crash" | "other";

/** The rules of one game; they never change while it lasts. */
export interface Rules {
  /** 2 to 15. */
  readonly seats: number;
  readonly variant: Variant;
  /** The size of every hand, in the order in which they are dealt. */
  readonly hands: readonly number[];
  readonly blukeLed: BlukeLed;
  readonly cut: CutRule;
  /** The largest hand, where it was chosen. */
  readonly maxHand: number | null;
  /** Where the way back up ends, where it was chosen. */
  readonly lastHand: number | null;
  /** Whether `hands` was given as a list. */
  readonly customHands: boolean;
}

/** One trick. */
export interface Trick {
  readonly leader: number;
  /** In the order played: the first by `leader`, each next one by the seat to the left. */
  readonly cards: readonly Card[];
  /** `null` while it is being played. */
  readonly winner: number | null;
}

/** What the referee made of a seat's last decision. */
export interface LastDecision {
  readonly decisionId: number;
  /** From handing the turn to the stream to reading the answer. */
  readonly measured: number;
  /** The part of it that was the referee's own lateness and not charged. */
  readonly excusedTime: number;
  /** The answer that took effect: a cut, a bid or a card's index. */
  readonly applied: number;
  /** Whether the referee made that answer, after a fault. */
  readonly byReferee: boolean;
  /** Whether it would have been late, but was not counted so. */
  readonly excused: boolean;
}

/** What a view shows. */
export interface ViewData<Answer> {
  readonly gameId: string;
  /** This bot's seat. */
  readonly seat: number;
  /** Number of this decision; grows within the game. */
  readonly decisionId: number;
  /** Every legal answer, in rising order, never empty. */
  readonly legal: readonly Answer[];
  readonly rules: Rules;
  /** Points before this hand, by seat. */
  readonly totals: readonly number[];
  /** Number of this hand. */
  readonly hand: number;
  /** Cards dealt to each seat in this hand. */
  readonly size: number;
  readonly dealer: number;
  /** `null` for no trump, and before the cut. */
  readonly trump: Suit | null;
  /** The card turned up; `null` before the cut, and when the whole pack was dealt. */
  readonly turned: Card | null;
  /** The cards that this seat still holds, in the order of their index. */
  readonly cards: readonly Card[];
  /** By seat; `null` for a seat that has not bid yet. */
  readonly bids: readonly (number | null)[];
  /** The tricks of this hand so far, the one being played last. */
  readonly tricks: readonly Trick[];
  /** Tricks taken in this hand, by seat. */
  readonly tricksWon: readonly number[];
  /** Time for this decision before the bank is drawn on, when it was asked; `null` without a clock. */
  readonly timeLeft: number | null;
  /** Time in this seat's bank, when it was asked; `null` without a clock. */
  readonly bankLeft: number | null;
  /** When `timeLeft` is used up, on the clock of `performance.now()`; `null` without a clock. */
  readonly deadline: number | null;
  /** `null` on this seat's first decision. */
  readonly last: LastDecision | null;
  /** Whether the decision was asked before, on a stream that broke; its clock has run on. */
  readonly again: boolean;
}

// An interface and a class by one name: the constructor copies the fields, the class adds what follows from them.
export interface View<Answer = number | Card> extends ViewData<Answer> {}

/** All that one seat knows of its game at one moment: enough to decide without any memory. */
export class View<Answer = number | Card> {
  constructor(data: ViewData<Answer>) {
    Object.assign(this, data);
  }

  /** This seat's bid, once it has bid. */
  get myBid(): number | null {
    return this.bids[this.seat] ?? null;
  }

  /** Tricks that this seat has taken in this hand. */
  get myTricks(): number {
    return this.tricksWon[this.seat] ?? 0;
  }

  /** Tricks that this seat still needs to make its bid; 0 once it has made it, and before it bids. */
  get needed(): number {
    return this.neededBy(this.seat);
  }

  /** Tricks that `seat` still needs to make its bid; 0 once it has made it, and before it bids. */
  neededBy(seat: number): number {
    return Math.max(0, (this.bids[seat] ?? 0) - (this.tricksWon[seat] ?? 0));
  }

  /** The trick on the table; `null` when this seat is to lead, and while bidding. */
  get trick(): Trick | null {
    const trick = this.tricks.at(-1);
    return trick && trick.cards.length > 0 && trick.winner === null ? trick : null;
  }

  /** The card led to the trick on the table, if any. */
  get led(): Card | null {
    return this.trick?.cards[0] ?? null;
  }

  /** The seat that is taking the trick on the table and its card; `null` when this seat is to lead. */
  get winning(): { readonly seat: number; readonly card: Card } | null {
    const trick = this.trick;
    if (!trick) return null;
    let [best] = trick.cards as [Card];
    let at = 0;
    for (const [place, card] of trick.cards.entries()) {
      if (card.beats(best, this.trump)) [best, at] = [card, place];
    }
    return { seat: (trick.leader + at) % this.rules.seats, card: best };
  }

  /** The seats that play to the trick on the table after this one, in order; when leading, all others. */
  get seatsAfter(): number[] {
    const { seats } = this.rules;
    // No more than there are cards, however many a referee may say there are.
    const count = Math.max(0, Math.min(seats, 54) - 1 - (this.trick?.cards.length ?? 0));
    return Array.from({ length: count }, (_, place) => (this.seat + 1 + place) % seats);
  }

  /** Every card of this hand whose place is known: held, turned up or played. */
  get seen(): Set<Card> {
    const seen = new Set(this.cards);
    if (this.turned) seen.add(this.turned);
    for (const trick of this.tricks) for (const card of trick.cards) seen.add(card);
    return seen;
  }
}

/** The pack is to be cut: `legal` are the numbers of cards that may go from its top to its bottom; 0 taps. */
export type CutView = View<number>;
/** A bid is to be made: `legal` is 1 to `size`. */
export type BidView = View<number>;
/** A card is to be played: `legal` are those of `cards` that may be played now. */
export type PlayView = View<Card>;

/** What a bot says of itself: show it, never trust it. */
export interface Player {
  readonly name: string;
  readonly version: string;
  readonly sdk: string;
  readonly author: string;
}

/** Clock and policy of one game. */
export interface Limits {
  readonly policy: Policy;
  /** Time for one decision before the bank is drawn on; `null` without a clock. */
  readonly decision: number | null;
  /** What each seat has for the whole game beyond that; `null` without a clock. */
  readonly bank: number | null;
  /** No decision may take longer than this, clock or not. */
  readonly wall: number;
  /** How long a bot whose stream broke may take to come back. */
  readonly grace: number;
  /** A seat with this many faults is played out by the referee (lenient only). */
  readonly maxFaults: number;
}

/** One card drawn for the deal. */
export interface DrawnCard {
  readonly seat: number;
  readonly card: Card;
}

/** A game begins. */
export interface GameStarted {
  readonly gameId: string;
  readonly seat: number;
  readonly matchId: string;
  readonly rules: Rules;
  /** By seat. */
  readonly players: readonly Player[];
  readonly limits: Limits;
  /** What the game seed must fit once it is told: see `commitment` in `bluke-sdk/dealing`. */
  readonly commitment: Uint8Array;
  /** The draw for the first dealer and the scorekeeper, round by round. */
  readonly draw: readonly (readonly DrawnCard[])[];
  readonly dealer: number;
  readonly scorekeeper: number;
}

/** A hand was scored; every list is by seat. */
export interface HandScored {
  readonly gameId: string;
  readonly seat: number;
  readonly hand: number;
  readonly bids: readonly number[];
  readonly tricks: readonly number[];
  /** Points won or lost in this hand. */
  readonly points: readonly number[];
  /** Points after it. */
  readonly totals: readonly number[];
  readonly outcomes: readonly Outcome[];
}

/** A game is over. */
export interface GameOver {
  readonly gameId: string;
  readonly seat: number;
  readonly status: Status;
  readonly totals: readonly number[];
  /** 1 is best and equal totals share the better place; empty for a void game. */
  readonly places: readonly number[];
  /** Faults, by seat. */
  readonly faults: readonly number[];
  /** The seats that the referee took over for good. */
  readonly playedOut: readonly number[];
  /** Why it ended early, as a sentence; empty for a complete game. */
  readonly reason: string;
  /** `null` as long as another game on the same deal is still to be played. */
  readonly gameSeed: Uint8Array | null;
}

/** What everybody at the table can see; `cut` is `null` when there was nothing to cut. */
export type Event =
  | {
      readonly type: "handDealt";
      readonly gameId: string;
      readonly hand: number;
      readonly size: number;
      readonly dealer: number;
      readonly cut: number | null;
      readonly turned: Card | null;
      readonly trump: Suit | null;
    }
  | {
      readonly type: "bidMade";
      readonly gameId: string;
      readonly hand: number;
      readonly seat: number;
      readonly bid: number;
    }
  | {
      readonly type: "cardPlayed";
      readonly gameId: string;
      readonly hand: number;
      readonly trick: number;
      readonly seat: number;
      readonly card: Card;
    }
  | {
      readonly type: "trickTaken";
      readonly gameId: string;
      readonly hand: number;
      readonly trick: number;
      readonly winner: number;
    }
  | {
      readonly type: "faultCharged";
      readonly gameId: string;
      readonly hand: number;
      readonly seat: number;
      readonly kind: FaultKind;
      readonly playedOut: boolean;
    };
