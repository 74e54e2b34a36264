import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { status } from "@grpc/grpc-js";

import {
  type BidView,
  Bot,
  type Card,
  type Options,
  play,
  type PlayView,
  RefusedError,
  SdkError,
  SetupError,
  UnreachableError,
} from "../src/index.js";
import { bid, FakeReferee, KEY } from "./fake-referee.js";

let referee: FakeReferee;
before(async () => {
  referee = await FakeReferee.start();
});
after(() => referee.stop());

let asked: number[] = [];

class Counting extends Bot {
  bid(view: BidView): number {
    asked.push(view.decisionId);
    return asked.length;
  }

  play(view: PlayView): Card {
    return view.legal[0] as Card;
  }
}

function begin(options: Options = {}): { playing: Promise<void>; logged: string[] } {
  asked = [];
  const logged: string[] = [];
  const playing = play(Counting, { server: referee.address, log: (text) => logged.push(text), ...options });
  return { playing, logged };
}

test("after a broken stream the seats are taken back, and an answer is said again without asking", async () => {
  const { playing, logged } = begin();
  const first = (await referee.accept()).welcome();
  first.ask(bid("a", 1));
  assert.equal((await first.moves())[0]?.bid, 1);
  first.fail(status.UNAVAILABLE, "the cable");
  const second = (await referee.accept()).welcome({ resumed: true });
  assert.deepEqual(second.hello.resumeKey, KEY);
  second.ask(bid("a", 1, { again: true }), bid("a", 2));
  const moves = await second.gather(2);
  assert.deepEqual(
    moves.map((move) => [move.decisionId, move.bid]),
    [
      [1, 1],
      [2, 2],
    ],
  );
  assert.deepEqual(asked, [1, 2]);
  assert.match(logged.join("\n"), /^no referee at \S+ \(the cable\); trying again\nplaying at /);
  second.goodbye();
  await playing;
});

test("a promise outlives a broken stream, and its answer is said on the next one", async () => {
  let open: ((bid: number) => void) | undefined;
  let times = 0;
  class Slow extends Counting {
    override bid(): never {
      times += 1;
      return new Promise<number>((resolve) => (open = resolve)) as never;
    }
  }
  const playing = play(Slow, { server: referee.address, log: () => undefined });
  const first = (await referee.accept()).welcome();
  first.ask(bid("a", 1), bid("b", 1, { asked: "ASKED_PLAY", legal: [0] }));
  await first.moves();
  first.fail(status.UNAVAILABLE, "the cable");
  const second = (await referee.accept()).welcome({ resumed: true });
  second.ask(bid("a", 1, { again: true }), bid("b", 2, { asked: "ASKED_PLAY", legal: [0] }));
  await second.moves();
  open?.(3);
  assert.equal((await second.moves())[0]?.bid, 3);
  assert.equal(times, 1);
  second.goodbye();
  await playing;
});

test("a bot whose seats were not given back comes as a new one", async () => {
  const { playing, logged } = begin();
  const first = (await referee.accept()).welcome();
  first.ask(bid("a", 1));
  await first.moves();
  first.fail(status.INTERNAL, "oops");
  const second = await referee.accept();
  second.say({ refusal: { reason: "REFUSAL_REASON_RESUME", message: "unknown key" } });
  second.end();
  const third = (await referee.accept()).welcome();
  assert.equal(third.hello.resumeKey.length, 0);
  third.ask(bid("a", 1));
  await third.moves();
  assert.deepEqual(asked, [1, 1]);
  assert.match(logged.join("\n"), /the seats were not given back: unknown key/);
  third.goodbye();
  await playing;
});

test("the end of the stream without a goodbye is a broken stream", async () => {
  const { playing } = begin();
  (await referee.accept()).welcome().end();
  const second = await referee.accept();
  assert.deepEqual(second.hello.resumeKey, KEY);
  second.goodbye();
  await playing;
});

test("a refusal ends the bot with the referee's own words", async () => {
  const { playing } = begin();
  const line = await referee.accept();
  line.say({ refusal: { reason: "REFUSAL_REASON_TOKEN", message: "the token is unknown" } });
  line.end();
  await assert.rejects(playing, (error: unknown) => {
    assert.ok(error instanceof RefusedError);
    assert.match(error.message, /^refused by the referee at \S+: the token is unknown$/);
    return error.exitCode === 2;
  });
});

test("a stream that dialling again cannot mend ends the bot", async () => {
  for (const code of [status.ABORTED, status.INVALID_ARGUMENT, status.RESOURCE_EXHAUSTED]) {
    const { playing } = begin();
    (await referee.accept()).welcome().fail(code, "because");
    await assert.rejects(playing, (error: unknown) => {
      assert.ok(error instanceof SdkError);
      assert.match(error.message, new RegExp(`ended the stream: because \\(${status[code]}\\)$`));
      return error.exitCode === 1;
    });
  }
});

test("bytes that are no message end the bot", async () => {
  const { playing } = begin();
  (await referee.accept()).welcome().say(Buffer.from([0xff, 0xff, 0xff]));
  await assert.rejects(playing, /sent bytes that are no message of bluke.v1/);
});

test("a referee that is not there is given up", async () => {
  const gone = await FakeReferee.start();
  gone.stop();
  const { playing, logged } = begin({ server: gone.address, giveUp: 200 });
  await assert.rejects(playing, (error: unknown) => {
    assert.ok(error instanceof UnreachableError);
    assert.match(error.message, /^no referee at \S+ for 0.2 s \(.*ECONNREFUSED.*set BLUKE_SERVER/s);
    return true;
  });
  assert.ok(logged.length <= 1);
});

test("a referee on a Unix socket is dialled, also after it was started again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "bluke-"));
  const server = `unix:${join(folder, "socket")}`;
  try {
    const before = await FakeReferee.start(server);
    const { playing } = begin({ server });
    const first = (await before.accept()).welcome();
    first.ask(bid("a", 1));
    await first.moves();
    before.stop();
    rmSync(join(folder, "socket"), { force: true });
    const again = await FakeReferee.start(server);
    const line = (await again.accept()).welcome({ resumed: true });
    assert.deepEqual(line.hello.resumeKey, KEY);
    line.goodbye();
    await playing;
    again.stop();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a wrong option is told before anything is dialled", async () => {
  const wrong: [unknown, Options, RegExp][] = [
    [Counting, { server: "" }, /set BLUKE_SERVER to its address/],
    [Counting, { server: "localhost:1", ca: "/no/such/file" }, /cannot read the CA certificate \/no\/such\/file/],
    [Counting, { server: "\n" }, /is no address to dial/],
    [class {}, { server: "localhost:1" }, /derive a class from Bot/],
    [new Counting(), { server: "localhost:1" }, /derive a class from Bot/],
    [class Mute extends (Bot as unknown as typeof Counting) {}, { server: "localhost:1" }, /^Mute has no bid/],
  ];
  for (const [bot, options, message] of wrong) {
    await assert.rejects(play(bot as typeof Counting, options), (error: unknown) => {
      assert.ok(error instanceof SetupError, String(error));
      assert.match(error.message, message);
      return error.exitCode === 2;
    });
  }
});
