import assert from "node:assert/strict";
import { test } from "node:test";

import { Rule } from "../bots/rule-strategy.js";
import { type BidView, Card, type PlayView, type Suit, type Trick, View } from "../src/index.js";

const cards = (text: string): Card[] => text.split(" ").filter(Boolean).map(Card.parse);

interface Table {
  held: string;
  legal?: string;
  trump?: Suit | null;
  turned?: string;
  trick?: string;
  seats?: number;
  bid?: number;
}

/** What seat 0 sees in the first trick; the cards of `trick` were played by the seats before it. */
function seen({ held, legal = held, trump = null, turned = "LO", trick = "", seats = 4, bid = 1 }: Table): PlayView {
  const played = cards(trick);
  const tricks: Trick[] = played.length > 0 ? [{ leader: seats - played.length, cards: played, winner: null }] : [];
  return new View({
    gameId: "g",
    seat: 0,
    decisionId: 1,
    legal: cards(legal),
    rules: {
      seats,
      variant: "standard",
      hands: [],
      blukeLed: "free",
      cut: "tap",
      maxHand: null,
      lastHand: null,
      customHands: true,
    },
    totals: [],
    hand: 0,
    size: cards(held).length,
    dealer: 0,
    trump,
    turned: Card.parse(turned),
    cards: cards(held),
    bids: Array.from({ length: seats }, () => bid),
    tricks,
    tricksWon: Array.from({ length: seats }, () => 0),
    timeLeft: null,
    bankLeft: null,
    deadline: null,
    last: null,
    again: false,
  });
}

const bids = (table: Table): number => new Rule().bid(seen(table) as unknown as BidView);
const plays = (table: Table): string => new Rule().play(seen(table)).text;

test("the only legal card is played", () => {
  assert.equal(plays({ held: "2C AH", legal: "2C", trick: "5C" }), "2C");
});

test("the last seat takes a trick with its cheapest winner", () => {
  assert.equal(plays({ held: "3H KH AH", trick: "4H 9H JH" }), "KH");
});

test("where nothing can win the least useful card goes", () => {
  assert.equal(plays({ held: "3H 2C AD", trick: "4S 9S JS" }), "2C");
});

test("a seat that leads and needs no trick keeps what is strong", () => {
  assert.equal(plays({ held: "AH HI 4C", bid: 0 }), "4C");
});

test("the Hi Bluke is a trick for sure, and so is the Lo Bluke once the Hi one is turned up", () => {
  assert.equal(bids({ held: "HI", turned: "2C" }), 1);
  assert.equal(bids({ held: "HI LO", turned: "2C" }), 2);
  assert.equal(bids({ held: "LO 2C 2D", turned: "HI" }), 1);
});

test("a bid is never below one", () => {
  assert.equal(bids({ held: "2C 2D 2H", turned: "4S", trump: "S" }), 1);
});

test("the same decisions are made as by the bot in Python", () => {
  const held = "2C 9C KC 4D QD AD 3H TH JH 5S 8S KS AS";
  const trumps: [Suit | null, number][] = [
    [null, 1],
    ["C", 2],
    ["D", 2],
    ["H", 2],
    ["S", 3],
  ];
  for (const [trump, bid] of trumps) assert.equal(bids({ held, trump, turned: "7H" }), bid, `trump ${trump}`);
  const tricks: [string, string, string][] = [
    ["6S", "5S 8S KS AS", "5S"],
    ["9D", "4D QD AD", "AD"],
    ["9D KD", "4D QD AD", "AD"],
    ["2H AH 4H", "3H TH JH", "3H"],
    ["2H 4H 9H", "3H TH JH", "TH"],
  ];
  for (const [trick, legal, card] of tricks) {
    assert.equal(plays({ held, legal, trick, trump: "S", turned: "2S", bid: 3 }), card, `after ${trick}`);
  }
});
