import assert from "node:assert/strict";
import { after, before, test, type TestContext } from "node:test";

import {
  type BidView,
  Bot,
  type BotClass,
  type Card,
  type Event,
  type GameOver,
  type Options,
  play,
  type PlayView,
} from "../src/index.js";
import { bid, FakeReferee, type Line, play as card, view } from "./fake-referee.js";

let referee: FakeReferee;
before(async () => {
  referee = await FakeReferee.start();
});
after(() => referee.stop());

class First extends Bot {
  bid(view: BidView): number | Promise<number> {
    return view.legal[0] as number;
  }

  play(view: PlayView): Card {
    return view.legal[0] as Card;
  }
}

interface Session {
  line: Line;
  logged: string[];
  /** Say goodbye, and wait until the bot has left. */
  close(): Promise<void>;
}

async function session(bot: BotClass, options: Options = {}): Promise<Session> {
  const logged: string[] = [];
  const playing = play(bot, { server: referee.address, log: (text) => logged.push(text), ...options });
  const line = (await referee.accept()).welcome();
  return {
    line,
    logged,
    close: async () => {
      line.goodbye();
      await playing;
    },
  };
}

test("a bot introduces itself", async () => {
  const { line, close } = await session(First, {
    token: "secret",
    version: "2",
    author: "me\ud800",
    maxGames: 3,
    events: true,
  });
  const { token, name, version, author, sdk, protocols, maxGames, wantsEvents, resumeKey } = line.hello;
  assert.deepEqual(
    { token, name, version, author, protocols, maxGames, wantsEvents, key: resumeKey.length },
    {
      token: "secret",
      name: "First",
      version: "2",
      author: "me\ufffd",
      protocols: [1],
      maxGames: 3,
      wantsEvents: true,
      key: 0,
    },
  );
  assert.match(sdk, /^typescript\/\d+\.\d+\.\d+ \(Node \d+\.\d+\.\d+\)$/);
  await close();
});

/** What `performance.now()` says: a clock that stands still, unless a bot sets it forward. */
let clock = 0;
const stopClock = (t: TestContext): void => void t.mock.method(performance, "now", () => clock);

test("a list of turns is answered with one list of moves", async (t) => {
  stopClock(t);
  const { line, close } = await session(First);
  line.ask(bid("a", 1), card("b", 17), { gameId: "c", decisionId: 3, asked: "ASKED_CUT", legal: [0, 1], view: view() });
  const moves = await line.moves();
  assert.deepEqual(
    moves.map(({ gameId, decisionId, answer, bid, card, cut }) => [gameId, decisionId, answer, bid ?? card ?? cut]),
    [
      ["a", 1, "bid", 1],
      ["b", 17, "card", 48],
      ["c", 3, "cut", 0],
    ],
  );
  await close();
});

test("each seat of each game has an object of its own", async (t) => {
  stopClock(t);
  class Counting extends First {
    #asked = 0;
    override bid(): number {
      this.#asked += 1;
      return this.#asked;
    }
  }
  const { line, close } = await session(Counting);
  line.ask(bid("a", 1), bid("a", 2, { seat: 1 }), bid("b", 1));
  assert.deepEqual(
    (await line.moves()).map((move) => move.bid),
    [1, 1, 1],
  );
  line.ask(bid("a", 3), bid("b", 2));
  assert.deepEqual(
    (await line.moves()).map((move) => move.bid),
    [2, 2],
  );
  await close();
});

test("notes go with the decision that they were made on", async () => {
  class Talking extends First {
    override bid(view: BidView): number {
      if (view.decisionId === 1) {
        this.note("one");
        this.note("two");
      }
      return 1;
    }
  }
  const { line, close } = await session(Talking);
  line.ask(bid("a", 1));
  line.ask(bid("a", 2));
  const notes = (await line.gather(2)).map((move) => move.note);
  assert.deepEqual(notes, ["one\ntwo", undefined]);
  await close();
});

test("an exception is reported with its stack, and the next decision is made as ever", async () => {
  class Broken extends First {
    override play(view: PlayView): Card {
      if (view.decisionId === 1) throw new RangeError("out of ideas");
      return super.play(view);
    }
  }
  const { line, logged, close } = await session(Broken);
  line.ask(card("a", 1), card("b", 2));
  const { error } = (await line.heard()) ?? {};
  assert.deepEqual([error?.gameId, error?.decisionId], ["a", 1]);
  assert.match(error?.detail ?? "", /^play: RangeError: out of ideas\n {4}at Broken\.play .*stream\.test/);
  assert.doesNotMatch(error?.detail ?? "", /src\/seat/);
  assert.match(logged[0] ?? "", /^Broken failed on play, decision 1 of game a, seat 2:\nRangeError: out of ideas\n/);
  assert.equal((await line.moves())[0]?.card, 48);
  await close();
});

test("an answer of the wrong type is an error, an illegal one is sent as it is", async () => {
  const answers: unknown[] = ["HI", "10H", 48, null, {}, undefined];
  class Wrong extends First {
    override play(view: PlayView): Card {
      return answers[view.decisionId - 1] as Card;
    }
    override bid(view: BidView): number {
      return [1.5, -1, NaN, "1", 2 ** 32, 99][view.decisionId - 11] as number;
    }
  }
  const { line, close } = await session(Wrong);
  line.ask(card("a", 1));
  assert.equal((await line.moves())[0]?.card, 53);
  for (let id = 2; id <= 6; id += 1) {
    line.ask(card("a", id));
    assert.match(
      (await line.heard())?.error?.detail ?? "",
      /^play: (Type|Range)Error: .*(must return a card|is not a card)/,
    );
  }
  for (let id = 11; id <= 15; id += 1) {
    line.ask(bid("a", id));
    assert.match(
      (await line.heard())?.error?.detail ?? "",
      /^bid: TypeError: Wrong.bid returned .*must return a whole number/,
    );
  }
  line.ask(bid("a", 16));
  assert.equal((await line.moves())[0]?.bid, 99);
  await close();
});

test("a constructor that throws is a failed decision, and is tried again", async () => {
  let made = 0;
  class Late extends First {
    constructor() {
      super();
      made += 1;
      if (made === 1) throw new Error("not yet");
    }
  }
  const { line, close } = await session(Late);
  line.ask(bid("a", 1));
  assert.match((await line.heard())?.error?.detail ?? "", /not yet/);
  line.ask(bid("a", 2));
  assert.equal((await line.moves())[0]?.decisionId, 2);
  await close();
});

test("what is not known of a newer referee is skipped with one warning", async () => {
  const { line, logged, close } = await session(First);
  line.ask(bid("a", 1, { asked: 9 as 0 }), bid("b", 1));
  line.ask(bid("a", 2, { asked: 9 as 0 }));
  assert.equal((await line.moves())[0]?.gameId, "b");
  // Field 100 of the envelope, empty.
  line.say(Buffer.from([0xa2, 0x06, 0]));
  line.ask(card("b", 2, { legal: [54] }));
  assert.match((await line.heard())?.error?.detail ?? "", /names card 54/);
  assert.deepEqual(logged.slice(0, 2), [
    "asked for 9, which this SDK does not know: left to the referee",
    "a message that this SDK does not know was skipped",
  ]);
  await close();
});

test("notices and faults are shown, but not that a move was stale", async () => {
  const { line, logged, close } = await session(First);
  line.say({ notice: { gameId: "a", decisionId: 1, verdict: "VERDICT_STALE", detail: "too late" } });
  line.say({ notice: { gameId: "a", decisionId: 2, verdict: "VERDICT_ILLEGAL", detail: "follow suit" } });
  line.say({ fault: { gameId: "a", seat: 2, detail: "charged" } });
  line.ask(bid("a", 3));
  await line.moves();
  assert.deepEqual(logged, ["decision 2 of game a: follow suit", "fault in game a, seat 2: charged"]);
  await close();
});

test("a game is told to the bot, its end once", async () => {
  const heard: string[] = [];
  class Listening extends First {
    override gameStarted(): void {
      heard.push("started");
    }
    override handScored(): void {
      heard.push("scored");
    }
    override gameOver(game: GameOver): void {
      heard.push(game.status);
    }
    override event(event: Event): void {
      heard.push(event.type);
    }
  }
  const { line, close } = await session(Listening);
  line.say({ gameStarted: { gameId: "a", seat: 2, rules: view().rules ?? null, limits: {} } });
  line.say({ events: { events: [{ gameId: "a", bidMade: {} }, { gameId: "a" }, { gameId: "z", bidMade: {} }] } });
  line.say({ handScored: { gameId: "a", seat: 2, result: {} } });
  for (let time = 0; time < 2; time += 1) {
    line.say({ gameOver: { gameId: "a", seat: 2, result: { status: "GAME_STATUS_COMPLETE" } } });
  }
  await close();
  assert.deepEqual(heard, ["started", "bidMade", "scored", "complete"]);
});

test("a message with a card that is not known is skipped, and the bot plays on", async () => {
  class Listening extends First {
    override event(): void {}
  }
  const { line, logged, close } = await session(Listening);
  line.ask(bid("a", 1));
  await line.moves();
  line.say({ events: { events: [{ gameId: "a", cardPlayed: { card: 60 } }] } });
  line.ask(bid("a", 2));
  await line.moves();
  assert.match(logged.join(), /^a message \(event\) was skipped: the referee names card 60/);
  await close();
});

test("promises of different games are awaited at the same time", async () => {
  const open = new Map<string, (bid: number) => void>();
  class Slow extends First {
    override bid(view: BidView): Promise<number> {
      return new Promise((resolve) => open.set(view.gameId, resolve));
    }
  }
  const { line, close } = await session(Slow);
  line.ask(bid("a", 1), bid("b", 1), card("c", 1));
  assert.equal((await line.moves())[0]?.gameId, "c");
  open.get("b")?.(2);
  assert.deepEqual(
    (await line.moves()).map((move) => [move.gameId, move.bid]),
    [["b", 2]],
  );
  open.get("a")?.(3);
  assert.deepEqual(
    (await line.moves()).map((move) => [move.gameId, move.bid]),
    [["a", 3]],
  );
  await close();
});

test("a promise that is rejected is reported like an exception", async () => {
  class Rejecting extends First {
    override async bid(): Promise<number> {
      throw new Error("no model");
    }
  }
  const { line, close } = await session(Rejecting);
  line.ask(bid("a", 1));
  assert.match((await line.heard())?.error?.detail ?? "", /^bid: Error: no model/);
  await close();
});

test("a decision whose time was over is abandoned, and its late answer is not said", async () => {
  const aborted: number[] = [];
  class Slow extends First {
    override async bid(view: BidView): Promise<number> {
      const { decisionId } = view;
      if (decisionId > 1) return 4;
      const { signal } = this;
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      aborted.push(decisionId);
      return 3;
    }
  }
  const { line, logged, close } = await session(Slow);
  line.ask(bid("a", 1));
  line.ask(bid("a", 2));
  assert.deepEqual(
    (await line.moves()).map((move) => [move.decisionId, move.bid]),
    [[2, 4]],
  );
  assert.deepEqual(aborted, [1]);
  assert.deepEqual(logged, ["decision 1 of game a, seat 2: its time was over before it was made"]);
  await close();
});

test("methods of one seat never overlap", async () => {
  const order: string[] = [];
  class Slow extends First {
    override async gameStarted(): Promise<void> {
      order.push("begin");
      await new Promise(setImmediate);
      order.push("end");
    }
    override bid(): number {
      order.push("bid");
      return 1;
    }
  }
  const { line, close } = await session(Slow);
  line.say({ gameStarted: { gameId: "a", seat: 2, rules: view().rules ?? null, limits: {} } });
  line.ask(bid("a", 1));
  await line.moves();
  assert.deepEqual(order, ["begin", "end", "bid"]);
  await close();
});

test("a slow answer does not hold up the one before it", async (t) => {
  stopClock(t);
  class Thinking extends First {
    override bid(): number {
      clock += 3;
      return 1;
    }
  }
  const { line, close } = await session(Thinking);
  line.ask(bid("a", 1), bid("b", 1), card("c", 1), card("d", 1));
  const messages = [await line.moves(), await line.moves(), await line.moves()];
  assert.deepEqual(
    messages.map((moves) => moves.map((move) => move.gameId)),
    [["a"], ["b"], ["c", "d"]],
  );
  await close();
});

test("a slow gameOver is heard to its end", async () => {
  let heard = false;
  class Saving extends First {
    override async gameOver(): Promise<void> {
      await new Promise(setImmediate);
      heard = true;
    }
  }
  const { line, close } = await session(Saving);
  line.ask(bid("a", 1));
  await line.moves();
  line.say({ gameOver: { gameId: "a", seat: 2, result: {} } });
  await close();
  assert.ok(heard);
});

test("a bot that is told to stop says goodbye", async () => {
  const stop = new AbortController();
  const { line, close } = await session(First, { signal: stop.signal });
  line.ask(bid("a", 1));
  await line.moves();
  stop.abort("tired");
  assert.equal((await line.heard())?.goodbye?.reason, "tired");
  assert.equal(await line.heard(), null);
  await close();
});
