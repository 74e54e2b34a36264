// The TypeScript SDK for bots that play in a Bluke Arena.
//
// A bot is a class that says how to bid and how to play:
//
//     import { Bot, run } from "bluke-sdk";
//
//     class Cautious extends Bot {
//       bid() { return 1; }
//       play(view) { return view.legal[0]; }
//     }
//
//     await run(Cautious);

export { Bot, type BotClass } from "./bot.js";
export { Card, type CardText, HI, LO, type Suit, SUITS } from "./cards.js";
export { RefusedError, SdkError, SetupError, UnreachableError } from "./errors.js";
export { play, run } from "./run.js";
export type { Options } from "./settings.js";
export {
  type BidView,
  type BlukeLed,
  type CutRule,
  type CutView,
  type DrawnCard,
  type Event,
  type FaultKind,
  type GameOver,
  type GameStarted,
  type HandScored,
  type LastDecision,
  type Limits,
  type Outcome,
  type Player,
  type PlayView,
  type Policy,
  type Rules,
  type Status,
  type Trick,
  type Variant,
  View,
  type ViewData,
} from "./views.js";
