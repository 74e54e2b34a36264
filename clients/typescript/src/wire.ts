// Protocol messages to values. What a newer referee may say becomes "other", an unknown trump `null`.

import type { BlukeLed__Output } from "../gen/bluke/v1/BlukeLed.js";
import type { CutRule__Output } from "../gen/bluke/v1/CutRule.js";
import type { Event__Output } from "../gen/bluke/v1/Event.js";
import type { FaultKind__Output } from "../gen/bluke/v1/FaultKind.js";
import type { GameOver__Output } from "../gen/bluke/v1/GameOver.js";
import type { GameStarted__Output } from "../gen/bluke/v1/GameStarted.js";
import type { GameStatus__Output } from "../gen/bluke/v1/GameStatus.js";
import type { HandScored__Output } from "../gen/bluke/v1/HandScored.js";
import type { LastDecision__Output } from "../gen/bluke/v1/LastDecision.js";
import type { Outcome__Output } from "../gen/bluke/v1/Outcome.js";
import type { Policy__Output } from "../gen/bluke/v1/Policy.js";
import type { Rules__Output } from "../gen/bluke/v1/Rules.js";
import type { Trick__Output } from "../gen/bluke/v1/Trick.js";
import type { Trump__Output } from "../gen/bluke/v1/Trump.js";
import type { Turn__Output } from "../gen/bluke/v1/Turn.js";
import type { Variant__Output } from "../gen/bluke/v1/Variant.js";
import { Card, type Suit } from "./cards.js";
import {
  type BlukeLed,
  type CutRule,
  type Event,
  type FaultKind,
  type GameOver,
  type GameStarted,
  type HandScored,
  type LastDecision,
  type Outcome,
  type Policy,
  type Rules,
  type Status,
  type Trick,
  type Variant,
  View,
} from "./views.js";

type Names<Wire extends string, Value> = { readonly [name in Wire]?: Value };

const TRUMPS: Names<Trump__Output, Suit> = {
  TRUMP_CLUBS: "C",
  TRUMP_DIAMONDS: "D",
  TRUMP_HEARTS: "H",
  TRUMP_SPADES: "S",
};
const VARIANTS: Names<Variant__Output, Variant> = { VARIANT_STANDARD: "standard", VARIANT_NEW_JERSEY: "new_jersey" };
const BLUKE_LED: Names<BlukeLed__Output, BlukeLed> = { BLUKE_LED_FREE: "free", BLUKE_LED_TRUMP: "trump" };
const CUTS: Names<CutRule__Output, CutRule> = { CUT_RULE_TAP: "tap", CUT_RULE_PLAYER: "player" };
const OUTCOMES: Names<Outcome__Output, Outcome> = {
  OUTCOME_SET: "S",
  OUTCOME_OVERTRICKS: "O",
  OUTCOME_PERFECT: "P",
};
const POLICIES: Names<Policy__Output, Policy> = { POLICY_LENIENT: "lenient", POLICY_STRICT: "strict" };
const STATUSES: Names<GameStatus__Output, Status> = {
  GAME_STATUS_COMPLETE: "complete",
  GAME_STATUS_FORFEITED: "forfeited",
  GAME_STATUS_VOID: "void",
};
const FAULTS: Names<FaultKind__Output, FaultKind> = {
  FAULT_KIND_ILLEGAL: "illegal",
  FAULT_KIND_TIMEOUT: "timeout",
  FAULT_KIND_DISCONNECTED: "disconnected",
  FAULT_KIND_PROTOCOL: "protocol",
  FAULT_KIND_CRASH: "crash",
};

/** A message says what this SDK cannot make sense of. */
export class WireError extends Error {
  override readonly name = "WireError";
}

function there<Message>(message: Message | null | undefined, what: string): Message {
  if (message == null) throw new WireError(`the referee left out the ${what}`);
  return message;
}

/** The card of an index. */
export function readCard(index: number): Card {
  const card = Card.all[index];
  if (!card) throw new WireError(`the referee names card ${index}, which this SDK does not know; update the SDK`);
  return card;
}

function readTrick(trick: Trick__Output): Trick {
  return { leader: trick.leader, cards: trick.cards.map(readCard), winner: trick.winner ?? null };
}

function readLast(last: LastDecision__Output): LastDecision {
  return {
    decisionId: last.decisionId,
    measured: last.measuredUs / 1e3,
    excusedTime: last.excusedUs / 1e3,
    applied: last.applied,
    byReferee: last.byReferee,
    excused: last.excused,
  };
}

/** Read the rules of a game. */
export function readRules(message: Rules__Output | null): Rules {
  const rules = there(message, "rules");
  return {
    seats: rules.seats,
    variant: VARIANTS[rules.variant] ?? "other",
    hands: rules.hands,
    blukeLed: BLUKE_LED[rules.blukeLed] ?? "other",
    cut: CUTS[rules.cut] ?? "other",
    maxHand: rules.maxHand ?? null,
    lastHand: rules.lastHand ?? null,
    customHands: rules.customHands,
  };
}

/** Read what a seat is shown; `now` is when the turn came, on the clock of `performance.now()`. */
export function readView<Answer>(
  turn: Turn__Output,
  rules: Rules,
  now: number,
  readAnswer: (legal: number) => Answer,
): View<Answer> {
  const view = there(turn.view, "view");
  const timeLeft = turn.decisionLeftMs ?? null;
  return new View({
    gameId: turn.gameId,
    seat: turn.seat,
    decisionId: turn.decisionId,
    legal: turn.legal.map(readAnswer),
    rules,
    totals: view.totals,
    hand: view.hand,
    size: view.size,
    dealer: view.dealer,
    trump: (view.trump && TRUMPS[view.trump]) ?? null,
    turned: view.turned === undefined ? null : readCard(view.turned),
    cards: view.cards.map(readCard),
    bids: view.bids.map((bid) => bid || null),
    tricks: view.tricks.map(readTrick),
    tricksWon: view.tricksWon,
    timeLeft,
    bankLeft: turn.bankLeftMs ?? null,
    deadline: timeLeft === null ? null : now + timeLeft,
    last: turn.last && readLast(turn.last),
    again: turn.again,
  });
}

/** Read how a game begins. */
export function readGameStarted(message: GameStarted__Output): GameStarted {
  const limits = there(message.limits, "limits");
  return {
    gameId: message.gameId,
    seat: message.seat,
    matchId: message.matchId,
    rules: readRules(message.rules),
    players: message.players.map(({ name, version, sdk, author }) => ({ name, version, sdk, author })),
    limits: {
      policy: POLICIES[limits.policy] ?? "other",
      decision: limits.decisionMs ?? null,
      bank: limits.bankMs ?? null,
      wall: limits.wallMs,
      grace: limits.graceMs,
      maxFaults: limits.maxFaults,
    },
    commitment: message.commitment,
    draw: message.draw.map((round) => round.cards.map(({ seat, card }) => ({ seat, card: readCard(card) }))),
    dealer: message.dealer,
    scorekeeper: message.scorekeeper,
  };
}

/** Read how a hand ended. */
export function readHandScored(message: HandScored__Output): HandScored {
  const result = there(message.result, "result of a hand");
  return {
    gameId: message.gameId,
    seat: message.seat,
    hand: result.hand,
    bids: result.bids,
    tricks: result.tricks,
    points: result.points,
    totals: result.totals,
    outcomes: result.outcomes.map((outcome) => OUTCOMES[outcome] ?? "other"),
  };
}

/** Read how a game ended. */
export function readGameOver(message: GameOver__Output): GameOver {
  const result = there(message.result, "result of a game");
  return {
    gameId: message.gameId,
    seat: message.seat,
    status: STATUSES[result.status] ?? "other",
    totals: result.totals,
    places: result.places,
    faults: result.faults,
    playedOut: result.playedOut,
    reason: result.reason,
    gameSeed: message.gameSeed ?? null,
  };
}

/** Read a public event; `null` for one that is told in another way, or that is not known here. */
export function readEvent(message: Event__Output): Event | null {
  const { gameId, handDealt, bidMade, cardPlayed, trickTaken, faultCharged } = message;
  if (handDealt) {
    const { hand, size, dealer, cut, turned, trump } = handDealt;
    return {
      type: "handDealt",
      gameId,
      hand,
      size,
      dealer,
      cut: cut ?? null,
      turned: turned === undefined ? null : readCard(turned),
      trump: TRUMPS[trump] ?? null,
    };
  }
  if (bidMade) {
    const { hand, seat, bid } = bidMade;
    return { type: "bidMade", gameId, hand, seat, bid };
  }
  if (cardPlayed) {
    const { hand, trick, seat, card } = cardPlayed;
    return { type: "cardPlayed", gameId, hand, trick, seat, card: readCard(card) };
  }
  if (trickTaken) {
    const { hand, trick, winner } = trickTaken;
    return { type: "trickTaken", gameId, hand, trick, winner };
  }
  if (faultCharged) {
    const { hand, seat, kind, playedOut } = faultCharged;
    return { type: "faultCharged", gameId, hand, seat, kind: FAULTS[kind] ?? "other", playedOut };
  }
  return null;
}
