// The class that a bot derives from.

import type { Card, CardText } from "./cards.js";
import type { BidView, CutView, Event, GameOver, GameStarted, HandScored, PlayView } from "./views.js";

/** The SDK's own way to the desk of a bot. */
export const DESK = Symbol("desk");

/** What belongs to the method of a bot that is running. */
export class Desk {
  note: string | undefined;
  #controller: AbortController | undefined;
  #abandoned = false;

  begin(): void {
    this.note = undefined;
    this.#controller = undefined;
    this.#abandoned = false;
  }

  abandon(): void {
    this.#abandoned = true;
    this.#controller?.abort();
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#abandoned) this.#controller.abort();
    return this.#controller.signal;
  }
}

/**
 * A bot: derive from it, write `bid` and `play`, and pass the class to `run`.
 *
 * One object is made, without arguments, for each seat in each game, so what it keeps in `this` belongs
 * to one seat. Every method may return a promise. While a method runs without one, everything else
 * waits; promises of different games are awaited at the same time. One seat's methods never overlap.
 *
 * A view holds all there is to know, so a bot need not remember anything. One that does should expect
 * to begin in the middle of a game: a bot that was started again takes its seats back.
 */
export abstract class Bot {
  readonly [DESK] = new Desk();

  /** Say how many tricks to contract for: one of `view.legal`. */
  abstract bid(view: BidView): number | Promise<number>;

  /** Choose a card out of `view.legal`; its notation, such as `"9H"`, will do. */
  abstract play(view: PlayView): Card | CardText | Promise<Card | CardText>;

  /** Say how many cards to move from the top of the pack to its bottom; asked only if the rules want it. */
  cut(_view: CutView): number | Promise<number> {
    return 0;
  }

  /** Hear that a game begins in which this object has a seat. */
  gameStarted?(game: GameStarted): void | Promise<void>;

  /** Hear how a hand ended. */
  handScored?(hand: HandScored): void | Promise<void>;

  /** Hear how the game ended; the object is not used again. */
  gameOver?(game: GameOver): void | Promise<void>;

  /** Hear of a public event as it happens; only with the option `events`. */
  event?(event: Event): void | Promise<void>;

  /**
   * Attach a line to the decision being made, for whoever reads the replay.
   *
   * Several notes on one decision are several lines. The referee keeps the first 1024 bytes and shows
   * them to nobody while the game lasts. Outside `cut`, `bid` and `play` there is no decision, and the
   * note is dropped.
   */
  protected note(text: string): void {
    const desk = this[DESK];
    desk.note = desk.note === undefined ? String(text) : `${desk.note}\n${text}`;
  }

  /** Aborts when the decision being made is over, though it has no answer: its time was up, or its game ended. */
  protected get signal(): AbortSignal {
    return this[DESK].signal;
  }
}

/** What `run` and `play` take. */
export type BotClass = new () => Bot;
