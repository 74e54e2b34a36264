// Cards and suits.

const RANKS = "23456789TJQKA";

/** A suit: clubs, diamonds, hearts, spades. */
export type Suit = "C" | "D" | "H" | "S";
type Rank = "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "T" | "J" | "Q" | "K" | "A";
/** The notation of a card: its rank and its suit, or `LO` and `HI` for the Blukes. */
export type CardText = `${Rank}${Suit}` | "LO" | "HI";

/** All suits, in the order of the cards. */
export const SUITS: readonly Suit[] = ["C", "D", "H", "S"];

/**
 * One card. There is one object for each of the 54, so `===` compares them.
 *
 * The index, 0 to 53, is the order `2C … AC 2D … AD 2H … AH 2S … AS LO HI`. It is not the strength in
 * a trick: ask `beats` for that.
 */
export class Card {
  readonly index: number;
  readonly text: CardText;
  /** `null` for a Bluke. */
  readonly suit: Suit | null;
  /** 0 for a two to 12 for an ace; 13 and 14 for the Lo and the Hi Bluke. */
  readonly rank: number;

  private constructor(index: number) {
    const suit = SUITS[Math.floor(index / 13)];
    this.index = index;
    this.suit = suit ?? null;
    this.rank = suit ? index % 13 : index - 39;
    this.text = suit ? `${RANKS[this.rank] as Rank}${suit}` : index === 52 ? "LO" : "HI";
    Object.freeze(this);
  }

  /** All cards in the order of their index. */
  static readonly all: readonly Card[] = Object.freeze(Array.from({ length: 54 }, (_, index) => new Card(index)));

  static readonly #byText = new Map<string, Card>(Card.all.map((card) => [card.text, card]));

  /** Read the notation of one card; throws a RangeError if it is none. */
  static parse(text: string): Card {
    const card = Card.#byText.get(text);
    if (!card) {
      throw new RangeError(
        `${JSON.stringify(text)} is not a card: rank 2-9TJQKA and suit CDHS, such as TD, or LO or HI`,
      );
    }
    return card;
  }

  /** Whether it is one of the two jokers. */
  get isBluke(): boolean {
    return this.suit === null;
  }

  /**
   * Whether this card, played later, takes a trick that `best` would take so far; `best` is of the
   * suit led, a trump or a Bluke.
   */
  beats(best: Card, trump: Suit | null): boolean {
    if (this.isBluke || best.isBluke) return this.index > best.index;
    if (this.suit === best.suit) return this.rank > best.rank;
    return this.suit === trump;
  }

  toString(): CardText {
    return this.text;
  }

  toJSON(): CardText {
    return this.text;
  }
}

/** The Lo Bluke. */
export const LO = Card.parse("LO");
/** The Hi Bluke. */
export const HI = Card.parse("HI");
