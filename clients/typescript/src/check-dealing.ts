#!/usr/bin/env node
// Checks the dealing of finished games: node dist/src/check-dealing.js REPLAY.jsonl ...
//
// The replay format is described in the project's documentation. Exit code: 0 if every file is right, 1 if
// any is wrong, 2 if none was named.

import { readFileSync } from "node:fs";

import { Card, type Suit } from "./cards.js";
import { checkDealing, type FinishedGame, gameSeed } from "./dealing.js";

interface Line {
  readonly type: string;
}
interface GameLine {
  readonly game: string;
  readonly deal: number;
  readonly commitment: string;
  readonly rules: { readonly seats: number; readonly hands: number[] };
}
interface DrawLine {
  readonly rounds: [number, string][][];
  readonly dealer: number;
  readonly scorekeeper: number;
}
interface HandLine {
  readonly dealer: number;
  readonly cards: string[][];
  readonly cut: number | null;
  readonly turned: string | null;
  readonly trump: Suit | null;
}
interface EndLine {
  readonly game_seed: string;
  readonly match_seed?: string;
}

function check(file: string): string[] {
  const lines = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
  const all = <Kind>(type: string): Kind[] => lines.filter((line) => line.type === type) as Kind[];
  const [game] = all<GameLine>("game");
  const [drawn] = all<DrawLine>("draw");
  const [end] = all<EndLine>("end");
  if (!game || !drawn || !end) return ["it is no replay of a finished game"];
  const seed = Buffer.from(end.game_seed, "hex");
  const finished: FinishedGame = {
    gameId: game.game,
    seed,
    commitment: Buffer.from(game.commitment, "hex"),
    seats: game.rules.seats,
    sizes: game.rules.hands,
    rounds: drawn.rounds.map((round) => round.map(([seat, card]) => ({ seat, card: Card.parse(card) }))),
    dealer: drawn.dealer,
    scorekeeper: drawn.scorekeeper,
    hands: all<HandLine>("hand").map(({ dealer, cards, cut, turned, trump }) => ({
      dealer,
      cards: cards.map((hand) => hand.map(Card.parse)),
      cut,
      turned: turned === null ? null : Card.parse(turned),
      trump,
    })),
  };
  const wrong = checkDealing(finished);
  // JSON has no exact number for the largest deals.
  if (end.match_seed !== undefined && Number.isSafeInteger(game.deal)) {
    const right = gameSeed(Buffer.from(end.match_seed, "hex"), game.deal);
    if (!right.equals(seed)) wrong.push("the game seed does not follow from the match seed");
  }
  return wrong;
}

const files = process.argv.slice(2);
if (files.length === 0) {
  process.stderr.write("name the replay files to check: node dist/src/check-dealing.js GAME.jsonl ...\n");
  process.exit(2);
}
for (const file of files) {
  let wrong: string[];
  try {
    wrong = check(file);
  } catch (error) {
    wrong = [(error as Error).message];
  }
  if (wrong.length > 0) process.exitCode = 1;
  process.stdout.write(`${file}: ${wrong.length > 0 ? wrong.join("; ") : "ok"}\n`);
}
