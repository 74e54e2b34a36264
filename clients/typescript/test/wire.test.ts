import assert from "node:assert/strict";
import { test } from "node:test";

import type { PlayResponse } from "../gen/bluke/v1/PlayResponse.js";
import type { Turn, Turn__Output } from "../gen/bluke/v1/Turn.js";
import { Card } from "../src/index.js";
import { refereeService } from "../src/service.js";
import {
  readCard,
  readEvent,
  readGameOver,
  readGameStarted,
  readHandScored,
  readRules,
  readView,
} from "../src/wire.js";
import { play, view } from "./fake-referee.js";

const { responseSerialize, responseDeserialize } = refereeService.Play;
const sent = (response: PlayResponse) => responseDeserialize(responseSerialize(response));
const cards = (text: string): Card[] => text.split(" ").map(Card.parse);

function turnOf(turn: Turn): Turn__Output {
  const [first] = sent({ turns: { turns: [turn] } }).turns?.turns ?? [];
  return first as Turn__Output;
}

function viewOf(turn: Turn) {
  const wire = turnOf(turn);
  return readView(wire, readRules(wire.view?.rules ?? null), 1000, readCard);
}

test("every field of a turn reaches the view", () => {
  const seen = viewOf({
    ...play("g", 9),
    decisionLeftMs: 2000,
    bankLeftMs: 59_400,
    last: { decisionId: 6, measuredUs: 2_603_120, excusedUs: 3120, applied: 39, excused: true },
    again: true,
    view: view({
      totals: [-10, 0, 32],
      hand: 3,
      bids: [1, 0, 2],
      tricks: [
        { leader: 2, cards: [19, 15, 39], winner: 2 },
        { leader: 1, cards: [49] },
      ],
      tricksWon: [0, 0, 1],
    }),
  });
  assert.deepEqual(
    { ...seen },
    {
      gameId: "g",
      seat: 2,
      decisionId: 9,
      legal: cards("JS LO"),
      rules: {
        seats: 3,
        variant: "standard",
        hands: [4, 3],
        blukeLed: "free",
        cut: "tap",
        maxHand: null,
        lastHand: null,
        customHands: false,
      },
      totals: [-10, 0, 32],
      hand: 3,
      size: 4,
      dealer: 1,
      trump: "C",
      turned: Card.parse("9C"),
      cards: cards("7C JS LO"),
      bids: [1, null, 2],
      tricks: [
        { leader: 2, cards: cards("8D 4D 2S"), winner: 2 },
        { leader: 1, cards: cards("QS"), winner: null },
      ],
      tricksWon: [0, 0, 1],
      timeLeft: 2000,
      bankLeft: 59_400,
      deadline: 3000,
      last: { decisionId: 6, measured: 2603.12, excusedTime: 3.12, applied: 39, byReferee: false, excused: true },
      again: true,
    },
  );
});

test("what follows from a view is worked out", () => {
  const seen = viewOf({
    ...play("g", 9),
    view: view({
      bids: [1, 2, 2],
      tricks: [
        { leader: 2, cards: [19, 15, 39], winner: 2 },
        { leader: 0, cards: [49, 0] },
      ],
      tricksWon: [0, 0, 1],
    }),
  });
  assert.deepEqual([seen.myBid, seen.myTricks, seen.needed, seen.neededBy(1)], [2, 1, 1, 2]);
  assert.equal(seen.led, Card.parse("QS"));
  assert.deepEqual(seen.winning, { seat: 1, card: Card.parse("2C") });
  assert.deepEqual(seen.seatsAfter, []);
  assert.deepEqual(seen.seen, new Set(cards("7C JS LO 9C 8D 4D 2S QS 2C")));
});

test("a seat that is to lead sees no trick, and all others after it", () => {
  for (const tricks of [[], [{ leader: 2, cards: [19, 15, 39], winner: 2 }], [{ leader: 2, cards: [] }]]) {
    const seen = viewOf({ ...play("g", 1), view: view({ tricks }) });
    assert.deepEqual([seen.trick, seen.led, seen.winning, seen.seatsAfter], [null, null, null, [0, 1]]);
  }
});

test("what is absent is null, and zero is not absent", () => {
  const { turned: _turned, trump: _trump, ...uncut } = view();
  const before = viewOf({ ...play("g", 1), view: uncut });
  assert.deepEqual(
    [before.turned, before.trump, before.timeLeft, before.bankLeft, before.deadline, before.last],
    [null, null, null, null, null, null],
  );
  const after = viewOf({
    ...play("g", 1),
    decisionLeftMs: 0,
    bankLeftMs: 0,
    view: view({ turned: 0, trump: "TRUMP_NONE" }),
  });
  assert.deepEqual([after.turned?.text, after.trump, after.timeLeft, after.deadline], ["2C", null, 0, 1000]);
  assert.equal(
    readRules(turnOf(play("g", 1, { view: view({ rules: { maxHand: 5 } }) })).view?.rules ?? null).maxHand,
    5,
  );
});

test("enum values of a newer referee become 'other', an unknown trump none", () => {
  const later = 99 as 0;
  const rules = { seats: 3, variant: later, blukeLed: later, cut: later };
  const seen = viewOf(play("g", 1, { view: view({ trump: later, rules }) }));
  assert.deepEqual(
    [seen.trump, seen.rules.variant, seen.rules.blukeLed, seen.rules.cut],
    [null, "other", "other", "other"],
  );
  const { handScored, gameOver, gameStarted } = {
    ...sent({ handScored: { result: { outcomes: ["OUTCOME_PERFECT", later] } } }),
    ...sent({ gameOver: { result: { status: later } } }),
    ...sent({ gameStarted: { rules, limits: { policy: later } } }),
  };
  assert.deepEqual(handScored && readHandScored(handScored).outcomes, ["P", "other"]);
  assert.equal(gameOver && readGameOver(gameOver).status, "other");
  assert.equal(gameStarted && readGameStarted(gameStarted).limits.policy, "other");
});

test("fields that this SDK does not know are skipped", () => {
  // Field 100 of the turn, a text.
  const unknown = Buffer.from([0xa2, 0x06, 2, 0x68, 0x69]);
  const turn = Buffer.concat([Buffer.from([10, 1, 0x67]), unknown, Buffer.from([24, 7])]);
  const turns = Buffer.concat([Buffer.from([10, turn.length]), turn]);
  const response = responseDeserialize(Buffer.concat([Buffer.from([26, turns.length]), turns]));
  const [read] = response.turns?.turns ?? [];
  assert.deepEqual([read?.gameId, read?.decisionId], ["g", 7]);
});

test("a card that this SDK does not know is named", () => {
  assert.throws(() => viewOf(play("g", 1, { legal: [54] })), /names card 54/);
  assert.throws(() => viewOf({ gameId: "g", asked: "ASKED_PLAY" }), /left out the rules/);
});

test("a game is told from its beginning to its end", () => {
  const { gameStarted } = sent({
    gameStarted: {
      gameId: "g",
      seat: 1,
      matchId: "m",
      rules: {
        seats: 2,
        variant: "VARIANT_NEW_JERSEY",
        hands: [1],
        blukeLed: "BLUKE_LED_TRUMP",
        cut: "CUT_RULE_PLAYER",
      },
      players: [{ name: "a", sdk: "x" }, { name: "b" }],
      limits: { policy: "POLICY_STRICT", decisionMs: 1, bankMs: 2, wallMs: 3, graceMs: 4, maxFaults: 5 },
      commitment: Buffer.from("c"),
      draw: [
        {
          cards: [
            { seat: 0, card: 0 },
            { seat: 1, card: 53 },
          ],
        },
      ],
      dealer: 1,
    },
  });
  assert.ok(gameStarted);
  const started = readGameStarted(gameStarted);
  assert.deepEqual(started.limits, { policy: "strict", decision: 1, bank: 2, wall: 3, grace: 4, maxFaults: 5 });
  assert.deepEqual(started.draw, [
    [
      { seat: 0, card: Card.all[0] },
      { seat: 1, card: Card.all[53] },
    ],
  ]);
  assert.deepEqual(started.players[0], { name: "a", version: "", sdk: "x", author: "" });
  assert.deepEqual(
    [started.rules.variant, started.rules.blukeLed, started.rules.cut],
    ["new_jersey", "trump", "player"],
  );
  assert.deepEqual(Buffer.from(started.commitment), Buffer.from("c"));

  const { gameOver } = sent({
    gameOver: {
      gameId: "g",
      result: { status: "GAME_STATUS_FORFEITED", totals: [-10, 5], places: [2, 1], faults: [1, 0] },
    },
  });
  assert.ok(gameOver);
  const over = readGameOver(gameOver);
  assert.deepEqual([over.status, over.totals, over.places, over.faults], ["forfeited", [-10, 5], [2, 1], [1, 0]]);
  assert.equal(over.gameSeed, null);
});

test("a public event is told by its type", () => {
  const eventOf = (event: object) => {
    const [first] = sent({ events: { events: [{ gameId: "g", ...event }] } }).events?.events ?? [];
    return first && readEvent(first);
  };
  assert.deepEqual(eventOf({ handDealt: { hand: 1, size: 2, dealer: 3, cut: 0, turned: 52, trump: "TRUMP_NONE" } }), {
    type: "handDealt",
    gameId: "g",
    hand: 1,
    size: 2,
    dealer: 3,
    cut: 0,
    turned: Card.parse("LO"),
    trump: null,
  });
  assert.deepEqual(eventOf({ cardPlayed: { card: 1, seat: 2, trick: 3 } }), {
    type: "cardPlayed",
    gameId: "g",
    hand: 0,
    trick: 3,
    seat: 2,
    card: Card.parse("3C"),
  });
  assert.equal(eventOf({ bidMade: { bid: 3 } })?.type, "bidMade");
  assert.equal(eventOf({ trickTaken: { winner: 3 } })?.type, "trickTaken");
  const fault = eventOf({ faultCharged: { kind: "FAULT_KIND_TIMEOUT" } });
  assert.equal(fault?.type === "faultCharged" && fault.kind, "timeout");
  assert.equal(eventOf({}), null);
});
