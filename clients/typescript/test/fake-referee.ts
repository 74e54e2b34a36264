// A referee that says what a test tells it to.

import { Server, ServerCredentials, type ServerDuplexStream, type status } from "@grpc/grpc-js";

import type { Hello__Output } from "../gen/bluke/v1/Hello.js";
import type { Move__Output } from "../gen/bluke/v1/Move.js";
import type { PlayRequest__Output } from "../gen/bluke/v1/PlayRequest.js";
import type { PlayResponse } from "../gen/bluke/v1/PlayResponse.js";
import type { Turn } from "../gen/bluke/v1/Turn.js";
import type { View } from "../gen/bluke/v1/View.js";
import type { Welcome } from "../gen/bluke/v1/Welcome.js";
import { refereeService } from "../src/service.js";

type Call = ServerDuplexStream<PlayRequest__Output, PlayResponse | Buffer>;

/** Bytes are written as they are. */
const service = {
  Play: {
    ...refereeService.Play,
    responseSerialize: (value: PlayResponse | Buffer): Buffer =>
      Buffer.isBuffer(value) ? value : refereeService.Play.responseSerialize(value),
  },
};

export const KEY = Buffer.from("the key");

/** One stream, after the bot's hello. */
export class Line {
  readonly hello: Hello__Output;
  readonly #call: Call;
  readonly #heard: AsyncIterator<PlayRequest__Output>;

  constructor(call: Call, heard: AsyncIterator<PlayRequest__Output>, hello: Hello__Output) {
    this.#call = call;
    this.#heard = heard;
    this.hello = hello;
  }

  say(response: PlayResponse | Buffer): void {
    this.#call.write(response);
  }

  welcome(welcome: Welcome = {}): this {
    this.say({ welcome: { bot: "b", protocol: 1, resumeKey: KEY, ...welcome } });
    return this;
  }

  ask(...turns: Turn[]): void {
    this.say({ turns: { turns } });
  }

  /** What the bot says next; `null` once it has closed its half. */
  async heard(): Promise<PlayRequest__Output | null> {
    const next = await this.#heard.next();
    return next.done ? null : next.value;
  }

  /** The moves that the bot says next, in one message. */
  async moves(): Promise<Move__Output[]> {
    const request = await this.heard();
    if (!request?.moves) throw new Error(`the bot said no moves but ${JSON.stringify(request)}`);
    return request.moves.moves;
  }

  /** The next `count` moves, in however many messages. */
  async gather(count: number): Promise<Move__Output[]> {
    const moves: Move__Output[] = [];
    while (moves.length < count) moves.push(...(await this.moves()));
    return moves;
  }

  /** End the stream with a status. */
  fail(code: status, details: string): void {
    this.#call.emit("error", { code, details });
  }

  goodbye(): void {
    this.say({ goodbye: { reason: "that is all" } });
    this.#call.end();
  }

  end(): void {
    this.#call.end();
  }
}

export class FakeReferee {
  readonly address: string;
  readonly #server: Server;
  readonly #lines: Line[] = [];
  #arrived: (() => void) | undefined;

  private constructor(server: Server, address: string) {
    this.#server = server;
    this.address = address;
  }

  static async start(address = "127.0.0.1:0"): Promise<FakeReferee> {
    const server = new Server();
    let self: FakeReferee | undefined;
    server.addService(service, { Play: (call: Call) => void self?.take(call) });
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
    self = new FakeReferee(server, address.replace(/:0$/, `:${port}`));
    return self;
  }

  async take(call: Call): Promise<void> {
    call.on("error", () => undefined);
    // The referee may still speak when the bot has closed its half.
    const heard = call.iterator({ destroyOnReturn: false }) as AsyncIterator<PlayRequest__Output>;
    const first = await heard.next();
    if (first.done || !first.value.hello) throw new Error("the first word was no hello");
    this.#lines.push(new Line(call, heard, first.value.hello));
    this.#arrived?.();
  }

  /** The next stream on which a bot said hello. */
  async accept(): Promise<Line> {
    for (;;) {
      const line = this.#lines.shift();
      if (line) return line;
      await new Promise<void>((resolve) => (this.#arrived = resolve));
    }
  }

  /** Break all connections. */
  stop(): void {
    this.#server.forceShutdown();
  }
}

/** A view of a table of three, with what a test is about. */
export function view(more: View = {}): View {
  return {
    rules: { seats: 3, variant: "VARIANT_STANDARD", hands: [4, 3], blukeLed: "BLUKE_LED_FREE", cut: "CUT_RULE_TAP" },
    totals: [0, 0, 0],
    size: 4,
    dealer: 1,
    trump: "TRUMP_CLUBS",
    turned: 7,
    cards: [5, 48, 52],
    bids: [1, 2, 0],
    tricksWon: [0, 0, 0],
    ...more,
  };
}

/** A turn to bid. */
export function bid(gameId: string, decisionId: number, more: Turn = {}): Turn {
  return { gameId, decisionId, seat: 2, asked: "ASKED_BID", legal: [1, 2, 3, 4], view: view(), ...more };
}

/** A turn to play a card. */
export function play(gameId: string, decisionId: number, more: Turn = {}): Turn {
  return { gameId, decisionId, seat: 2, asked: "ASKED_PLAY", legal: [48, 52], view: view(), ...more };
}
