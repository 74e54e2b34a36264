import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { test } from "node:test";

import type { PlayRequest } from "../gen/bluke/v1/PlayRequest.js";
import type { StreamLimits__Output } from "../gen/bluke/v1/StreamLimits.js";
import { clip, Outbox } from "../src/outbox.js";

const limits = { maxMessageBytes: 1000, maxNoteBytes: 8 } as StreamLimits__Output;
const answer = (value: number, note?: string) => ({ field: "bid", value, note }) as const;

function outbox(): { box: Outbox; written: PlayRequest[] } {
  const written: PlayRequest[] = [];
  return { box: new Outbox(limits, (request) => written.push(request)), written };
}

test("a text is cut between characters", () => {
  assert.equal(clip("abc", 3), "abc");
  assert.equal(clip("abcd", 3), "abc");
  assert.equal(clip("aéé", 3), "aé");
  assert.equal(clip("aéé", 4), "aé");
  assert.equal(clip("é", 1), "");
  assert.equal(clip("🂡🂡", 7), "🂡");
});

test("half a character is replaced, since no message can hold it", () => {
  assert.equal(clip("a\ud83c"), "a\ufffd");
  assert.equal(clip("\ud83c", 2), "");
});

test("answers of one turn of the loop go out together", async () => {
  const { box, written } = outbox();
  box.move("g", 1, answer(1));
  box.move("h", 2, answer(0, "why"));
  assert.deepEqual(written, []);
  await setImmediate();
  assert.deepEqual(written, [
    {
      moves: {
        moves: [
          { gameId: "g", decisionId: 1, bid: 1 },
          { gameId: "h", decisionId: 2, bid: 0, note: "why" },
        ],
      },
    },
  ]);
  box.move("g", 3, answer(1));
  await setImmediate();
  assert.equal(written.length, 2);
});

test("a message holds no more moves than fit", async () => {
  const { box, written } = outbox();
  for (let id = 0; id < 30; id += 1) box.move("g", id, answer(1, "x".repeat(100)));
  await setImmediate();
  // 32 bytes of a move, its id of one and its note of 8, in half of the limit.
  assert.deepEqual(
    written.map((request) => request.moves?.moves?.length),
    [12, 12, 6],
  );
  assert.equal(written[0]?.moves?.moves?.[0]?.note, "xxxxxxxx");
});

test("a message holds no more than 64 moves, however small", async () => {
  const written: PlayRequest[] = [];
  const box = new Outbox(null, (request) => written.push(request));
  for (let id = 0; id < 65; id += 1) box.move("g", id, answer(1));
  await setImmediate();
  assert.deepEqual(
    written.map((request) => request.moves?.moves?.length),
    [64, 1],
  );
});

test("what is said keeps its order", () => {
  const { box, written } = outbox();
  box.move("g", 1, answer(1));
  box.say({ error: { gameId: "h" } });
  box.move("g", 2, answer(1));
  box.flush();
  assert.deepEqual(
    written.map((request) => Object.keys(request)[0]),
    ["moves", "error", "moves"],
  );
});
