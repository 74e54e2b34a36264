// One seat of one game: calls the methods of its bot one after the other, and keeps the last answer.

import { inspect } from "node:util";

import type { Turn__Output } from "../gen/bluke/v1/Turn.js";
import { type Bot, type BotClass, DESK } from "./bot.js";
import { Card } from "./cards.js";
import type { Answer } from "./outbox.js";
import type { Rules } from "./views.js";
import { readCard, readRules, readView } from "./wire.js";

/** What can be asked: the method of the bot, and the field of the move that takes its answer. */
const ASKED = {
  ASKED_CUT: { method: "cut", field: "cut" },
  ASKED_BID: { method: "bid", field: "bid" },
  ASKED_PLAY: { method: "play", field: "card" },
} as const;
type Asked = keyof typeof ASKED;

/** What a seat needs of the client. */
export interface Host {
  readonly botClass: BotClass;
  /** No more of the bot's own code is begun. */
  readonly leaving: boolean;
  /** The open decision of a seat was answered, in `seat.answer`. */
  answered(seat: Seat): void;
  /** The bot's own code failed; `decisionId` is 0 if it was not on a decision. */
  failed(seat: Seat, method: string, decisionId: number, error: unknown): void;
  /** The bot is busy until then. */
  busy(until: Promise<void>): void;
  log(text: string): void;
}

/** Whether this SDK knows what a turn asks for. */
export function isKnown(asked: string): asked is Asked {
  return Object.hasOwn(ASKED, asked);
}

export class Seat {
  readonly gameId: string;
  readonly seat: number;
  readonly #host: Host;
  #rules: Rules | undefined;
  #bot: Bot | undefined;
  /** What the next method waits for. */
  #tail: Promise<void> | undefined;
  /** The last decision begun. */
  decisionId = 0;
  /** Whether it is still being made. */
  deciding = false;
  /** Its answer, said again if it is asked again. */
  answer: Answer | undefined;

  constructor(gameId: string, seat: number, host: Host) {
    this.gameId = gameId;
    this.seat = seat;
    this.#host = host;
  }

  /** Have a decision made; `now` is when the turn came, on the clock of `performance.now()`. */
  decide(turn: Turn__Output, asked: Asked, now: number): void {
    if (this.deciding) {
      this.#host.log(`${this.where("", this.decisionId)}: its time was over before it was made`);
      this.abandon();
    }
    this.decisionId = turn.decisionId;
    this.answer = undefined;
    this.deciding = true;
    this.#begin(ASKED[asked].method, turn.decisionId, (bot) => {
      const rules = (this.#rules ??= readRules(turn.view?.rules ?? null));
      switch (asked) {
        case "ASKED_CUT":
          return this.#settle(asked, turn.decisionId, bot.cut(readView(turn, rules, now, Number)));
        case "ASKED_BID":
          return this.#settle(asked, turn.decisionId, bot.bid(readView(turn, rules, now, Number)));
        case "ASKED_PLAY":
          return this.#settle(asked, turn.decisionId, bot.play(readView(turn, rules, now, readCard)));
      }
    });
  }

  /** Tell the bot something by the method named. */
  tell(method: string, call: (bot: Bot) => void | Promise<void>): void {
    this.#begin(method, 0, call);
  }

  /** The open decision, if there is one, needs no answer any more. */
  abandon(): void {
    if (!this.deciding) return;
    this.deciding = false;
    this.#bot?.[DESK].abandon();
  }

  /** Where something happened, for a person. */
  where(method: string, decisionId: number): string {
    const what = [method, decisionId ? `decision ${decisionId}` : ""].filter(Boolean).join(", ");
    return `${what} of game ${this.gameId}, seat ${this.seat}`;
  }

  /** Call a method of the bot, at once or behind what the seat is still busy with. */
  #begin(method: string, decisionId: number, call: (bot: Bot) => void | Promise<void>): void {
    const step = (): void | Promise<void> => this.#step(method, decisionId, call);
    const busy = this.#tail ? this.#tail.then(step) : step();
    if (!busy) return;
    const tail: Promise<void> = busy.then(() => {
      if (this.#tail === tail) this.#tail = undefined;
    });
    this.#tail = tail;
    this.#host.busy(tail);
  }

  /** Never throws; neither does what it returns. */
  #step(method: string, decisionId: number, call: (bot: Bot) => void | Promise<void>): void | Promise<void> {
    if (this.#host.leaving || this.#isOver(decisionId)) return;
    const failed = (error: unknown): void => {
      if (this.#isOver(decisionId)) return;
      if (decisionId) this.deciding = false;
      this.#host.failed(this, method, decisionId, error);
    };
    try {
      const bot = (this.#bot ??= new this.#host.botClass());
      bot[DESK].begin();
      const result = call(bot);
      if (isPromise(result)) return Promise.resolve(result).catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  #isOver(decisionId: number): boolean {
    return decisionId !== 0 && !(this.deciding && this.decisionId === decisionId);
  }

  /** Take an answer, or the promise of one. */
  #settle(asked: Asked, decisionId: number, result: unknown): void | Promise<void> {
    if (isPromise(result)) return Promise.resolve(result).then((value) => this.#settle(asked, decisionId, value));
    if (this.#isOver(decisionId)) return;
    const { method, field } = ASKED[asked];
    const { name } = this.#host.botClass;
    const value = field === "card" ? cardOf(result, name) : countOf(result, `${name}.${method}`);
    this.answer = { field, value, note: this.#bot?.[DESK].note };
    this.deciding = false;
    this.#host.answered(this);
  }
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === "function";
}

function cardOf(result: unknown, name: string): number {
  if (result instanceof Card) return result.index;
  if (typeof result === "string") return Card.parse(result).index;
  throw new TypeError(
    `${name}.play returned ${inspect(result)}: it must return a card out of view.legal, or its text such as "9H"`,
  );
}

function countOf(result: unknown, method: string): number {
  if (typeof result === "number" && Number.isInteger(result) && result >= 0 && result < 2 ** 32) return result;
  throw new TypeError(`${method} returned ${inspect(result)}: it must return a whole number out of view.legal`);
}
