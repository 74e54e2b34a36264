import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

import { bid, FakeReferee, play, view } from "./fake-referee.js";

const DIST = new URL("../", import.meta.url);

let referee: FakeReferee;
before(async () => {
  referee = await FakeReferee.start();
});
after(() => {
  referee.stop();
  for (const child of children) child.kill("SIGKILL");
});

const children: ChildProcess[] = [];

/** Start a built program with the referee in its environment. */
function start(
  program: string,
  env: NodeJS.ProcessEnv = {},
): { child: ChildProcess; ended: Promise<[number, string, string]> } {
  const child = spawn(process.execPath, [fileURLToPath(new URL(program, DIST))], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, BLUKE_SERVER: referee.address, BLUKE_TOKEN: "secret", ...env },
  });
  children.push(child);
  const ended = Promise.all([
    once(child, "exit").then(([code]) => code as number),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { child, ended };
}

test("the bot rule plays, prints nothing, and ends with 0 when the referee says goodbye", async () => {
  const { ended } = start("bots/rule.js");
  const line = (await referee.accept()).welcome();
  assert.deepEqual([line.hello.name, line.hello.token], ["rule", "secret"]);
  line.ask(bid("a", 1), play("a", 2), { gameId: "b", decisionId: 1, asked: "ASKED_CUT", legal: [0, 1], view: view() });
  assert.deepEqual(
    (await line.gather(3)).map((move) => move.bid ?? move.card ?? move.cut),
    [1, 48, 0],
  );
  line.goodbye();
  assert.deepEqual(await ended, [0, "", ""]);
});

test("a signal makes a bot say goodbye, and is told by the exit code", async () => {
  for (const [signal, code] of [
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const) {
    const { child, ended } = start("bots/cautious.js");
    const line = (await referee.accept()).welcome();
    line.ask(bid("a", 1));
    await line.moves();
    child.kill(signal);
    assert.equal((await line.heard())?.goodbye?.reason, signal);
    line.end();
    assert.deepEqual(await ended, [code, "", ""]);
  }
});

test("a refusal is told on standard error, with exit code 2", async () => {
  const { ended } = start("bots/cautious.js");
  const line = await referee.accept();
  line.say({ refusal: { reason: "REFUSAL_REASON_TOKEN", message: "the token is unknown" } });
  line.end();
  assert.deepEqual(await ended, [
    2,
    "",
    `Cautious: refused by the referee at ${referee.address}: the token is unknown\n`,
  ]);
});

test("a missing address is told on standard error, with exit code 2", async () => {
  const [code, , errors] = await start("bots/rule.js", { BLUKE_SERVER: "" }).ended;
  assert.equal(code, 2);
  assert.match(errors, /^Rule: no referee to dial: set BLUKE_SERVER/);
});

test("an exception and a forgotten promise leave the bot alive", async () => {
  const { ended } = start("test/broken-bot.js");
  const line = (await referee.accept()).welcome();
  line.ask(bid("a", 1));
  assert.match((await line.heard())?.error?.detail ?? "", /^bid: Error: on purpose/);
  line.ask(play("a", 2));
  assert.equal((await line.moves())[0]?.card, 48);
  line.goodbye();
  const [code, out, errors] = await ended;
  assert.deepEqual([code, out], [0, ""]);
  assert.match(errors, /^Broken failed on bid, decision 1 of game a, seat 2:\nError: on purpose\n/);
  assert.match(errors, /a promise that nothing awaits failed: Error: forgotten/);
});

test("the dealing checker asks for a file", async () => {
  const { ended } = start("src/check-dealing.js");
  assert.deepEqual((await ended).slice(0, 2), [2, ""]);
});

test("the bot in the README is the one that is built", () => {
  const root = new URL("../", DIST);
  const bot = readFileSync(new URL("bots/cautious.ts", root), "utf8");
  assert.ok(readFileSync(new URL("README.md", root), "utf8").includes(`\`\`\`ts\n${bot}\`\`\`\n`));
});
