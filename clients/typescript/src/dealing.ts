// The dealing that anyone can check: RULES 3, 4 and 8 of the project's rules.
//
// All that is random in a game follows from its seed, to which the referee commits before the first card.

import { createHash, createHmac } from "node:crypto";

import { Card, type Suit } from "./cards.js";
import type { DrawnCard } from "./views.js";

/** The draw for the first dealer and the scorekeeper. */
export interface Draw {
  readonly rounds: readonly (readonly DrawnCard[])[];
  readonly dealer: number;
  readonly scorekeeper: number;
}

/** One hand as it was dealt. */
export interface Deal {
  readonly dealer: number;
  /** By seat, in the order dealt. */
  readonly cards: readonly (readonly Card[])[];
  /** Cards moved to the bottom, 0 for a tap; `null` if the whole pack was dealt. */
  readonly cut: number | null;
  readonly turned: Card | null;
  readonly trump: Suit | null;
}

/** A finished game, as its seats or its replay tell it. */
export interface FinishedGame extends Draw {
  readonly gameId: string;
  readonly seed: Uint8Array;
  readonly commitment: Uint8Array;
  readonly seats: number;
  /** The size of every hand. */
  readonly sizes: readonly number[];
  /** The hands that were dealt: all of them, or as many as the game had when it ended. */
  readonly hands: readonly Deal[];
}

/** What is published before the first card. */
export function commitment(seed: Uint8Array, gameId: string): Buffer {
  return createHash("sha256").update("bluke/1/commit").update(seed).update(gameId).digest();
}

/** The seed of a game, from that of its match and the number of its deal. */
export function gameSeed(matchSeed: string | Uint8Array, deal: number | bigint): Buffer {
  const number = Buffer.alloc(8);
  number.writeBigUInt64BE(BigInt(deal));
  return createHmac("sha256", matchSeed).update("bluke/1/game").update(number).digest();
}

function* words(key: Buffer): Generator<number, never> {
  const number = Buffer.alloc(4);
  for (let block = 0; ; block += 1) {
    number.writeUInt32BE(block);
    const bytes = createHash("sha256").update(key).update(number).digest();
    for (let at = 0; at < bytes.length; at += 4) yield bytes.readUInt32BE(at);
  }
}

function shuffled(seed: Uint8Array, label: Buffer): Card[] {
  const stream = words(createHmac("sha256", seed).update(label).digest());
  const cards = [...Card.all];
  for (let i = 53; i > 0; i -= 1) {
    const limit = 2 ** 32 - (2 ** 32 % (i + 1));
    let word = stream.next().value;
    // Words that are too large would favour low numbers.
    while (word >= limit) word = stream.next().value;
    const j = word % (i + 1);
    [cards[i], cards[j]] = [cards[j] as Card, cards[i] as Card];
  }
  return cards;
}

/** The pack of the draw, its top first. */
export function drawPack(seed: Uint8Array): Card[] {
  return shuffled(seed, Buffer.from("bluke/1/draw"));
}

/** The pack of a hand, its top first. */
export function handPack(seed: Uint8Array, hand: number): Card[] {
  const label = Buffer.concat([Buffer.from("bluke/1/hand"), Buffer.alloc(4)]);
  label.writeUInt32BE(hand, label.length - 4);
  return shuffled(seed, label);
}

/** Draw for the first dealer and the scorekeeper from a pack. */
export function draw(pack: readonly Card[], seats: number): Draw {
  const rounds: DrawnCard[][] = [];
  let left = pack;
  const drawRound = (who: number[]): DrawnCard[] => {
    const round = who.map((seat, place) => ({ seat, card: left[place] as Card }));
    left = left.slice(who.length);
    rounds.push(round);
    return round;
  };
  /** The seat with the most extreme rank: the highest for a `sign` of 1, the lowest for -1. */
  const settle = (round: DrawnCard[], sign: 1 | -1): number => {
    const most = Math.max(...round.map(({ card }) => sign * card.rank));
    const tied = round.filter(({ card }) => sign * card.rank === most).map(({ seat }) => seat);
    if (tied.length === 1 || tied.length > left.length) return tied[0] as number;
    return settle(drawRound(tied), sign);
  };
  const first = drawRound(Array.from({ length: seats }, (_, seat) => seat));
  const dealer = settle(first, 1);
  const scorekeeper = settle(first, -1);
  return { rounds, dealer, scorekeeper };
}

/** Deal a hand from a pack; throws a RangeError for a cut that cannot be made. */
export function deal(pack: readonly Card[], seats: number, size: number, dealer: number, cut: number | null): Deal {
  const cards = Array.from({ length: seats }, (_, seat) => {
    const place = (seat - dealer - 1 + seats) % seats;
    return Array.from({ length: size }, (_, round) => pack[round * seats + place] as Card);
  });
  const rest = pack.slice(seats * size);
  if (rest.length === 0 ? cut !== null : cut === null || cut < 0 || cut >= rest.length) {
    throw new RangeError(`a cut of ${cut} with ${rest.length} cards left (RULES 4.2)`);
  }
  const turned = rest[cut ?? 0] ?? null;
  return { dealer, cards, cut, turned, trump: turned?.suit ?? null };
}

const text = (value: unknown): string => JSON.stringify(value) ?? "nothing";

/** Check that all cards of a game follow from the seed committed to; returns what is wrong, a sentence each. */
export function checkDealing(game: FinishedGame): string[] {
  const wrong: string[] = [];
  const compare = (what: string, claimed: unknown, right: unknown): void => {
    if (text(claimed) !== text(right)) wrong.push(`${what} is ${text(claimed)}, not ${text(right)}`);
  };
  const committed = commitment(game.seed, game.gameId);
  compare("the commitment", Buffer.from(game.commitment).toString("hex"), committed.toString("hex"));
  const drawn = draw(drawPack(game.seed), game.seats);
  compare("the draw", game.rounds, drawn.rounds);
  compare("the first dealer", game.dealer, drawn.dealer);
  compare("the scorekeeper", game.scorekeeper, drawn.scorekeeper);
  if (game.hands.length > game.sizes.length) {
    wrong.push(`${game.hands.length} hands were dealt, though there are ${game.sizes.length}`);
  }
  for (const [hand, size] of game.sizes.slice(0, game.hands.length).entries()) {
    const claimed = game.hands[hand] as Deal;
    const dealer = (drawn.dealer + hand) % game.seats;
    let right: Deal;
    try {
      right = deal(handPack(game.seed, hand), game.seats, size, dealer, claimed.cut);
    } catch (error) {
      wrong.push(`hand ${hand}: ${(error as Error).message}`);
      continue;
    }
    compare(`hand ${hand}: the dealer`, claimed.dealer, right.dealer);
    for (const [seat, cards] of right.cards.entries()) {
      compare(`hand ${hand}: the hand of seat ${seat}`, claimed.cards[seat], cards);
    }
    compare(`hand ${hand}: the card turned up`, claimed.turned, right.turned);
    compare(`hand ${hand}: the trump`, claimed.trump, right.trump);
  }
  return wrong;
}
