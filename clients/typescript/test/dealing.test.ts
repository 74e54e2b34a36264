import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import {
  checkDealing,
  commitment,
  deal,
  draw,
  drawPack,
  type FinishedGame,
  gameSeed,
  handPack,
} from "../src/dealing.js";
import { Card, type Suit } from "../src/index.js";

interface DrawCase {
  match_seed_text: string;
  deal: number;
  seats: number;
  dealer: number;
  scorekeeper: number;
  rounds: [number, string][][];
}
interface HandCase {
  hand: number;
  size: number;
  dealer: number;
  cards: string[][];
  turned: string | null;
  trump: Suit | null;
}
interface Vectors {
  games: (DrawCase & {
    game: string;
    game_seed: string;
    commitment: string;
    draw_pack: string[];
    schedule: number[];
    hands: HandCase[];
  })[];
  special_deals: (HandCase & {
    match_seed_text: string;
    deal: number;
    seats: number;
    cut: number;
    remaining: string[];
  })[];
  draws_with_ties: DrawCase[];
}

const file = new URL("../../../../tests/vectors/dealing.json", import.meta.url);
const vectors = JSON.parse(readFileSync(file, "utf8")) as Vectors;
const texts = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function checkDraw(seed: Buffer, { seats, dealer, scorekeeper, rounds }: DrawCase): void {
  const drawn = draw(drawPack(seed), seats);
  assert.deepEqual(texts(drawn.rounds.map((round) => round.map(({ seat, card }) => [seat, card]))), rounds);
  assert.deepEqual([drawn.dealer, drawn.scorekeeper], [dealer, scorekeeper]);
}

test("the vectors hold cases of each kind", () => {
  assert.ok(vectors.games.length > 0 && vectors.special_deals.length > 0 && vectors.draws_with_ties.length > 0);
});

for (const game of vectors.games) {
  test(`game ${game.game}: seed, commitment, pack, draw and deals are those of the vectors`, () => {
    const seed = gameSeed(game.match_seed_text, game.deal);
    assert.equal(seed.toString("hex"), game.game_seed);
    assert.equal(commitment(seed, game.game).toString("hex"), game.commitment);
    assert.deepEqual(texts(drawPack(seed)), game.draw_pack);
    checkDraw(seed, game);
    for (const { hand, size, dealer, cards, turned, trump } of game.hands) {
      assert.equal(size, game.schedule[hand]);
      const dealt = deal(handPack(seed, hand), game.seats, size, dealer, 0);
      assert.deepEqual(texts(dealt), { dealer, cards, cut: 0, turned, trump });
    }
  });
}

test("a cut, a Bluke turned up and a whole pack are dealt as in the vectors", () => {
  for (const {
    match_seed_text,
    deal: number,
    seats,
    size,
    hand,
    dealer,
    cards,
    turned,
    trump,
    ...more
  } of vectors.special_deals) {
    const cut = more.remaining.length === 0 ? null : more.cut;
    const dealt = deal(handPack(gameSeed(match_seed_text, number), hand), seats, size, dealer, cut);
    assert.deepEqual(texts(dealt), { dealer, cards, cut, turned, trump });
  }
});

test("tied draws are drawn again as in the vectors", () => {
  for (const tied of vectors.draws_with_ties) checkDraw(gameSeed(tied.match_seed_text, tied.deal), tied);
});

test("where too few cards are left to draw again the lowest seat is taken", () => {
  const [two, three] = [Card.parse("2C"), Card.parse("3C")];
  assert.equal(draw([two, three, Card.parse("3D")], 3).dealer, 1);
});

test("a cut that cannot be made is refused", () => {
  for (const cut of [-1, 2, null]) assert.throws(() => deal(Card.all, 4, 13, 0, cut), /RULES 4.2/);
  assert.throws(() => deal(Card.all, 3, 18, 0, 0), /RULES 4.2/);
  assert.equal(deal(Card.all, 4, 13, 0, 1).turned?.text, "HI");
});

function finished(): FinishedGame {
  const seed = gameSeed("check", 0);
  const drawn = draw(drawPack(seed), 3);
  const sizes = [2, 1];
  const hands = sizes.map((size, hand) => deal(handPack(seed, hand), 3, size, (drawn.dealer + hand) % 3, hand));
  return { gameId: "g", seed, commitment: commitment(seed, "g"), seats: 3, sizes, ...drawn, hands };
}

test("a game that was dealt as committed is found right", () => {
  assert.deepEqual(checkDealing(finished()), []);
});

test("whatever is changed in a game is found", () => {
  const game = finished();
  const [first, second] = game.hands as [FinishedGame["hands"][0], FinishedGame["hands"][0]];
  const changes: [RegExp, Partial<FinishedGame>][] = [
    [/^the commitment is/, { gameId: "h" }],
    [/^the draw is/, { rounds: [] }],
    [/^the first dealer is/, { dealer: (game.dealer + 1) % 3 }],
    [/^the scorekeeper is/, { scorekeeper: game.scorekeeper + 1 }],
    [/^hand 0: the dealer is/, { hands: [{ ...first, dealer: first.dealer + 1 }, second] }],
    [/^hand 1: the hand of seat 0 is/, { hands: [first, { ...second, cards: [...second.cards].reverse() }] }],
    [/^hand 0: the card turned up is/, { hands: [{ ...first, cut: 3 }, second] }],
    [/^hand 0: a cut of 48/, { hands: [{ ...first, cut: 48 }, second] }],
    [/^2 hands were dealt, though there are 1/, { sizes: [2] }],
  ];
  for (const [expected, change] of changes) {
    const [found] = checkDealing({ ...game, ...change });
    assert.match(found ?? "nothing", expected);
  }
});
