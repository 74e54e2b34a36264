// What a bot has to say and has not yet written.

import type { Move } from "../gen/bluke/v1/Move.js";
import type { PlayRequest } from "../gen/bluke/v1/PlayRequest.js";
import type { StreamLimits__Output } from "../gen/bluke/v1/StreamLimits.js";

/** A gathered message stays well below the referee's limit on one, and is worth no delay beyond this. */
const MOST_MOVES = 64;
/** Bytes of a move besides its game id and note: tags, lengths, decision id and answer. */
const MOVE_BYTES = 32;

/** An answer: the field of the move that it goes into, its value, and the note with it. */
export interface Answer {
  readonly field: "cut" | "bid" | "card";
  readonly value: number;
  readonly note: string | undefined;
}

/** Cut `text` to at most `most` bytes of UTF-8; halves of characters, which UTF-8 cannot carry, are replaced. */
export function clip(text: string, most = Infinity): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return bytes.toString();
  let end = most;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString("utf8", 0, end);
}

/**
 * Gathers moves into one message until the loop turns.
 *
 * The cost of a stream is by message, not by move: what is answered in one go goes out together.
 */
export class Outbox {
  readonly #write: (request: PlayRequest) => void;
  readonly #noteBytes: number;
  readonly #messageBytes: number;
  #requests: PlayRequest[] = [];
  #moves: Move[] | undefined;
  #room = 0;
  #flush: NodeJS.Immediate | undefined;

  /** Keep within the limits of the referee's welcome. */
  constructor(limits: StreamLimits__Output | null, write: (request: PlayRequest) => void) {
    this.#write = write;
    this.#noteBytes = limits?.maxNoteBytes || 1024;
    // Half of what is allowed, so that the estimate of a move's size need not be exact.
    this.#messageBytes = (limits?.maxMessageBytes || 65_536) / 2;
  }

  /** Whether there is anything that was not written yet. */
  get waiting(): boolean {
    return this.#requests.length > 0;
  }

  /** Say a move. */
  move(gameId: string, decisionId: number, answer: Answer): void {
    const move: Move = { gameId, decisionId, [answer.field]: answer.value };
    let size = MOVE_BYTES + gameId.length;
    if (answer.note !== undefined) {
      move.note = clip(answer.note, this.#noteBytes);
      size += Buffer.byteLength(move.note);
    }
    if (!this.#moves || this.#moves.length === MOST_MOVES || this.#room < size) {
      this.#moves = [];
      this.#room = this.#messageBytes;
      this.#add({ moves: { moves: this.#moves } });
    }
    this.#moves.push(move);
    this.#room -= size;
  }

  /** Say anything else. */
  say(request: PlayRequest): void {
    this.#moves = undefined;
    this.#add(request);
  }

  /** Write all that there is. */
  flush(): void {
    clearImmediate(this.#flush);
    this.#flush = undefined;
    this.#moves = undefined;
    for (const request of this.#requests.splice(0)) this.#write(request);
  }

  #add(request: PlayRequest): void {
    this.#requests.push(request);
    this.#flush ??= setImmediate(() => this.flush());
  }
}
