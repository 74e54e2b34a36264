import assert from "node:assert/strict";
import { test } from "node:test";

import { Card, HI, LO } from "../src/index.js";

test("every card has the notation that is parsed to it", () => {
  const texts = Card.all.map(String);
  assert.deepEqual(texts.slice(0, 14), "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC 2D".split(" "));
  assert.deepEqual(texts.slice(50), ["KS", "AS", "LO", "HI"]);
  assert.equal(new Set(texts).size, 54);
  for (const card of Card.all) assert.equal(Card.parse(card.text), card);
});

test("an index is 13 times the suit plus the rank", () => {
  const { index, suit, rank } = Card.parse("TD");
  assert.deepEqual({ index, suit, rank }, { index: 21, suit: "D", rank: 8 });
  assert.deepEqual([LO.index, LO.suit, LO.rank, HI.index, HI.suit, HI.rank], [52, null, 13, 53, null, 14]);
});

test("what is no card is refused by name", () => {
  for (const text of ["", "1H", "TX", "td", "10D", "XX", "__proto__"]) {
    assert.throws(() => Card.parse(text), {
      name: "RangeError",
      message: new RegExp(`^${JSON.stringify(text)} is not`),
    });
  }
});

test("a card beats another as the order of a trick has it", () => {
  const strongest = ["HI", "LO", "AC", "2C", "AH", "3H"];
  for (const [place, weaker] of strongest.entries()) {
    for (const stronger of strongest.slice(0, place)) {
      assert.ok(Card.parse(stronger).beats(Card.parse(weaker), "C"), `${stronger} beats ${weaker}`);
      assert.ok(!Card.parse(weaker).beats(Card.parse(stronger), "C"), `${weaker} does not beat ${stronger}`);
    }
  }
  assert.ok(!Card.parse("AS").beats(Card.parse("2H"), "C"), "a card of another suit takes no trick");
  assert.ok(!Card.parse("AC").beats(Card.parse("2H"), null), "without trump no suit ruffs");
});

test("a card is shown by its notation in text and in JSON", () => {
  assert.equal(`${Card.parse("9H")}`, "9H");
  assert.equal(JSON.stringify([Card.parse("9H"), LO]), '["9H","LO"]');
});
