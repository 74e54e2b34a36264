// The bot's side of the stream: dial, say hello, answer turns, and dial again when the stream breaks.
//
// One loop reads the stream; what is answered is gathered in an outbox and written when the loop turns.
// A method that returns a promise outlives a broken stream. The end of a stream is never the end of a
// game: only the referee's goodbye or refusal, or `stop`, ends `run`.

import { readFileSync } from "node:fs";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";

import { type StatusObject, status } from "@grpc/grpc-js";

import type { Hello } from "../gen/bluke/v1/Hello.js";
import type { PlayResponse__Output } from "../gen/bluke/v1/PlayResponse.js";
import type { Refusal__Output } from "../gen/bluke/v1/Refusal.js";
import type { Turn__Output } from "../gen/bluke/v1/Turn.js";
import type { Welcome__Output } from "../gen/bluke/v1/Welcome.js";
import { RefusedError, SdkError, UnreachableError } from "./errors.js";
import { clip, Outbox } from "./outbox.js";
import { type Host, isKnown, Seat } from "./seat.js";
import { type Stream, UNREADABLE } from "./service.js";
import { openChannel, type Settings } from "./settings.js";
import { readEvent, readGameOver, readGameStarted, readHandScored, WireError } from "./wire.js";

const PROTOCOL = 1;
/** How long a referee that took the connection may take to answer the hello. */
const WELCOME_WAIT = 15_000;
/** Before attempt n a wait is drawn from 0 to `FIRST_WAIT * 2 ** n`, but no more than `LONGEST_WAIT`. */
const FIRST_WAIT = 250;
const LONGEST_WAIT = 5_000;
/** How long to answer before what there is goes out, so that slow answers do not hold up fast ones. */
const FLUSH_AFTER = 2;
/** How long the last words of either side may take. */
const PARTING_WAIT = 1_000;
const DETAIL_BYTES = 4096;

/** Statuses that dialling again cannot mend. */
const HOPELESS: ReadonlySet<status> = new Set([
  // Another stream has taken over, or the referee has given this bot up: dialling again would only push it out.
  status.ABORTED,
  status.INVALID_ARGUMENT,
  status.PERMISSION_DENIED,
  status.RESOURCE_EXHAUSTED,
  status.UNAUTHENTICATED,
  status.UNIMPLEMENTED,
]);

const ROOT = new URL("../../", import.meta.url);
const { version: VERSION } = JSON.parse(readFileSync(new URL("package.json", ROOT), "utf8")) as { version: string };
/** Folders whose lines in a stack say nothing about the bot. */
const OWN = ["dist/src/", "src/"]
  .map((folder) => new URL(folder, ROOT))
  .flatMap((url) => [url.href, fileURLToPath(url)]);

/** Plays with one class of bot until the referee says goodbye. */
export class Client implements Host {
  readonly #settings: Settings;
  readonly #games = new Map<string, Map<number, Seat>>();
  readonly #busy = new Set<Promise<void>>();
  readonly #warned = new Set<unknown>();
  readonly #stop = new AbortController();
  #resumeKey: Buffer | undefined;
  #stream: Stream | undefined;
  #outbox: Outbox | undefined;
  #attempt = 0;
  #giveUpAt = 0;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Play until the referee says goodbye or `stop` is called.
   *
   * Throws an UnreachableError if there was no welcome for `giveUp`, a RefusedError if the referee refused
   * the hello, and an SdkError if it ended the stream in a way that dialling again cannot mend.
   */
  async run(): Promise<void> {
    const { server, giveUp } = this.#settings;
    this.#giveUpAt = performance.now() + giveUp;
    try {
      while (!this.leaving) {
        const trouble = await this.#dial();
        if (this.leaving) return;
        if (trouble === null) {
          await this.#farewell();
          return;
        }
        const wait = Math.random() * Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** this.#attempt);
        if (performance.now() + wait > this.#giveUpAt) {
          throw new UnreachableError(
            `no referee at ${server} for ${giveUp / 1e3} s (${trouble}): ` +
              "start one there, or set BLUKE_SERVER to where it listens",
          );
        }
        if (this.#attempt === 0) this.log(`no referee at ${server} (${trouble}); trying again`);
        this.#attempt += 1;
        await sleep(wait, undefined, { signal: this.#stop.signal }).catch(() => undefined);
      }
    } finally {
      this.#abandonGames();
    }
  }

  /** Say goodbye and let `run` return; the open games go on without this bot. */
  stop(reason: string): void {
    if (this.leaving) return;
    this.#stop.abort();
    this.#outbox?.say({ goodbye: { reason } });
    this.#outbox?.flush();
    this.#stream?.end();
    const stream = this.#stream;
    setTimeout(() => stream?.cancel(), this.#outbox ? PARTING_WAIT : 0).unref();
  }

  // The stream

  /** Open one stream and follow it to its end; `null` after a goodbye, else what went wrong. */
  async #dial(): Promise<string | null> {
    const channel = openChannel(this.#settings);
    const stream = (this.#stream = channel.play());
    // The reader hears of an error by itself; one that comes after it has left concerns nobody.
    stream.on("error", () => undefined);
    const ended = new Promise<StatusObject>((resolve) => stream.once("status", resolve));
    try {
      return await this.#converse(stream, ended);
    } finally {
      this.#outbox = this.#stream = undefined;
      stream.cancel();
      channel.close();
    }
  }

  async #converse(stream: Stream, ended: Promise<StatusObject>): Promise<string | null> {
    const messages = stream[Symbol.asyncIterator]();
    let silent = false;
    const patience = setTimeout(() => {
      silent = true;
      stream.cancel();
    }, WELCOME_WAIT);
    stream.write({ hello: this.#hello() });
    const first = await this.#hear(messages);
    clearTimeout(patience);
    if (!first) {
      return silent ? "it took the connection but did not answer" : this.#trouble(await ended, "it closed the stream");
    }
    if (first.goodbye) return null;
    if (first.refusal) return this.#refused(first.refusal);
    if (!first.welcome) return "its first word was no welcome";
    this.#welcomed(first.welcome);
    if (this.leaving) return null;
    const outbox = (this.#outbox = new Outbox(first.welcome.limits, (request) => stream.write(request)));
    try {
      for (;;) {
        const response = await this.#hear(messages);
        if (!response) return this.#trouble(await ended, "the stream ended");
        this.#attempt = 0;
        if (response.goodbye) return null;
        if (response.turns) await this.#turns(response.turns.turns, outbox);
        else this.#told(response);
      }
    } finally {
      // Our dialling again begins with a clock of its own.
      this.#giveUpAt = performance.now() + this.#settings.giveUp;
    }
  }

  /** The next message; `null` at the end of the stream, however it ends. */
  async #hear(messages: AsyncIterator<unknown>): Promise<PlayResponse__Output | null> {
    // The status says all that the error would say.
    const next = await messages.next().catch(() => null);
    if (!next || next.done) return null;
    if (next.value === UNREADABLE) {
      throw new SdkError(`the referee at ${this.#settings.server} sent bytes that are no message of bluke.v1`);
    }
    return next.value as PlayResponse__Output;
  }

  #trouble({ code, details }: StatusObject, otherwise: string): string {
    const { server } = this.#settings;
    if (code === status.UNIMPLEMENTED) {
      throw new SdkError(`${server} is not a Bluke referee: it speaks gRPC, but not bluke.v1`);
    }
    if (HOPELESS.has(code))
      throw new SdkError(`the referee at ${server} ended the stream: ${details} (${status[code]})`);
    if (code === status.OK) return otherwise;
    // gRPC's own sentence ends with a heading that nothing follows.
    return details.replace(/\.? Resolution note: *$/, "") || status[code];
  }

  #hello(): Hello {
    const { token, name, version, author, maxGames, events } = this.#settings;
    return {
      token: clip(token),
      name: clip(name),
      version: clip(version),
      author: clip(author),
      sdk: `typescript/${VERSION} (Node ${process.versions.node})`,
      protocols: [PROTOCOL],
      maxGames,
      wantsEvents: events,
      ...(this.#resumeKey && { resumeKey: this.#resumeKey }),
    };
  }

  #welcomed(welcome: Welcome__Output): void {
    if (this.#attempt > 0) this.log(`playing at ${this.#settings.server}`);
    if (this.#resumeKey && !welcome.resumed) this.#abandonGames();
    this.#resumeKey = welcome.resumeKey;
  }

  #refused(refusal: Refusal__Output): string {
    if (this.#resumeKey && refusal.reason === "REFUSAL_REASON_RESUME") {
      // The seats are lost, the bot is not: it comes back as a new one.
      this.log(`the seats were not given back: ${refusal.message}`);
      this.#resumeKey = undefined;
      this.#abandonGames();
      return refusal.message;
    }
    throw new RefusedError(`refused by the referee at ${this.#settings.server}: ${refusal.message}`);
  }

  /** Let what is still being heard, such as a slow `gameOver`, come to its end. */
  async #farewell(): Promise<void> {
    this.#abandonGames();
    const waiting = new AbortController();
    await Promise.race([
      Promise.all(this.#busy),
      sleep(PARTING_WAIT, undefined, { signal: waiting.signal }).catch(() => undefined),
    ]);
    waiting.abort();
  }

  #abandonGames(): void {
    for (const seats of this.#games.values()) for (const seat of seats.values()) seat.abandon();
    this.#games.clear();
  }

  // What the referee says

  async #turns(turns: Turn__Output[], outbox: Outbox): Promise<void> {
    let began = performance.now();
    const came = began;
    for (const turn of turns) {
      if (this.leaving) return;
      this.#turn(turn, came, outbox);
      if (outbox.waiting && performance.now() - began > FLUSH_AFTER) {
        outbox.flush();
        // gRPC hands it to the socket within these turns of the loop.
        await setImmediate();
        await setImmediate();
        began = performance.now();
      }
    }
  }

  #turn(turn: Turn__Output, came: number, outbox: Outbox): void {
    const { asked, decisionId } = turn;
    if (!isKnown(asked)) {
      this.#warnOnce(asked, `asked for ${asked}, which this SDK does not know: left to the referee`);
      return;
    }
    const seat = this.#seat(turn.gameId, turn.seat);
    if (decisionId === seat.decisionId) {
      // Asked again on a new stream: the bot has thought about it, or still does.
      if (seat.answer) outbox.move(seat.gameId, decisionId, seat.answer);
      if (seat.answer || seat.deciding) return;
    }
    seat.decide(turn, asked, came);
  }

  #seat(gameId: string, number: number): Seat {
    let seats = this.#games.get(gameId);
    if (!seats) this.#games.set(gameId, (seats = new Map()));
    let seat = seats.get(number);
    if (!seat) seats.set(number, (seat = new Seat(gameId, number, this)));
    return seat;
  }

  #told({ gameStarted, handScored, gameOver, events, notice, fault, payload }: PlayResponse__Output): void {
    if (gameStarted) {
      // Even for a bot that does not listen: makes its object while no clock is running.
      const seat = this.#seat(gameStarted.gameId, gameStarted.seat);
      seat.tell("gameStarted", (bot) => bot.gameStarted?.(readGameStarted(gameStarted)));
    } else if (handScored) {
      const seat = this.#games.get(handScored.gameId)?.get(handScored.seat);
      seat?.tell("handScored", (bot) => bot.handScored?.(readHandScored(handScored)));
    } else if (gameOver) {
      const seats = this.#games.get(gameOver.gameId);
      const seat = seats?.get(gameOver.seat);
      seats?.delete(gameOver.seat);
      if (seats?.size === 0) this.#games.delete(gameOver.gameId);
      seat?.abandon();
      seat?.tell("gameOver", (bot) => bot.gameOver?.(readGameOver(gameOver)));
    } else if (events) {
      for (const message of events.events) {
        for (const seat of this.#games.get(message.gameId)?.values() ?? []) {
          seat.tell("event", (bot) => {
            const event = bot.event && readEvent(message);
            return event ? bot.event?.(event) : undefined;
          });
        }
      }
    } else if (notice) {
      // A stale move is no fault: the decision was over when it came.
      if (notice.verdict !== "VERDICT_STALE") {
        this.log(`decision ${notice.decisionId} of game ${notice.gameId}: ${notice.detail}`);
      }
    } else if (fault) {
      this.log(`fault in game ${fault.gameId}, seat ${fault.seat}: ${fault.detail}`);
    } else if (!payload) {
      this.#warnOnce(undefined, "a message that this SDK does not know was skipped");
    }
  }

  #warnOnce(key: unknown, text: string): void {
    if (this.#warned.has(key)) return;
    this.#warned.add(key);
    this.log(text);
  }

  // What seats need of a client

  get botClass(): Settings["botClass"] {
    return this.#settings.botClass;
  }

  get leaving(): boolean {
    return this.#stop.signal.aborted;
  }

  log(text: string): void {
    this.#settings.log(text);
  }

  answered(seat: Seat): void {
    // Without a stream the answer waits for the decision to be asked again.
    if (seat.answer) this.#outbox?.move(seat.gameId, seat.decisionId, seat.answer);
  }

  failed(seat: Seat, method: string, decisionId: number, error: unknown): void {
    if (error instanceof WireError && !decisionId) {
      this.#warnOnce(method, `a message (${method}) was skipped: ${error.message}`);
      return;
    }
    const stack = error instanceof Error && error.stack ? error.stack : inspect(error);
    const lines = stack.split("\n").filter((line) => !/^ +at /.test(line) || !OWN.some((own) => line.includes(own)));
    const text = lines.join("\n");
    this.log(`${this.botClass.name} failed on ${seat.where(method, decisionId)}:\n${text}`);
    if (method === "gameOver") return;
    this.#outbox?.say({ error: { gameId: seat.gameId, decisionId, detail: clip(`${method}: ${text}`, DETAIL_BYTES) } });
  }

  busy(until: Promise<void>): void {
    this.#busy.add(until);
    void until.then(() => this.#busy.delete(until));
  }
}
