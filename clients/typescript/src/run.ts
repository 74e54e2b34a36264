// `run`, for a bot's own process, and `play`, for a program that does other things too.

import { constants } from "node:os";
import { inspect } from "node:util";

import type { BotClass } from "./bot.js";
import { Client } from "./client.js";
import { SdkError } from "./errors.js";
import { type Options, readSettings } from "./settings.js";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Play with `botClass` until the referee says goodbye, or `options.signal` aborts; leaves signals of the
 * system alone.
 *
 * Throws an UnreachableError if no referee answered for `giveUp`, a RefusedError if it refused the bot, a
 * SetupError if an option is missing or wrong, and an SdkError if the stream ended in a way that dialling
 * again cannot mend.
 */
export async function play(botClass: BotClass, options: Options = {}): Promise<void> {
  const settings = readSettings(botClass, options);
  const client = new Client(settings);
  const { signal } = settings;
  const stop = (): void => client.stop(typeof signal?.reason === "string" ? signal.reason : "stopped");
  if (signal?.aborted) return;
  signal?.addEventListener("abort", stop);
  try {
    await client.run();
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

/**
 * Play as `play` does, as all that this process is for.
 *
 * Writes nothing to standard output. On SIGINT and SIGTERM it says goodbye and leaves; a second one ends
 * the process at once. Ends the process with 1 when no referee answered or the stream cannot be mended, 2
 * when the referee refused or an option is wrong (with a sentence on standard error), and 128 plus the
 * signal's number after a signal.
 */
export async function run(botClass: BotClass, options: Omit<Options, "signal"> = {}): Promise<void> {
  const leaving = new AbortController();
  let caught: NodeJS.Signals | undefined;
  const leave = (signal: NodeJS.Signals): void => {
    caught = signal;
    for (const name of SIGNALS) process.removeListener(name, leave);
    leaving.abort(signal);
  };
  for (const name of SIGNALS) process.on(name, leave);
  // A promise that the bot forgot is no reason to lose all games.
  process.on("unhandledRejection", reportRejection);
  try {
    await play(botClass, { ...options, signal: leaving.signal });
  } catch (error) {
    if (!(error instanceof SdkError)) throw error;
    process.stderr.write(`${botClass?.name ?? "bot"}: ${error.message}\n`);
    process.exit(error.exitCode);
  } finally {
    for (const name of SIGNALS) process.removeListener(name, leave);
    process.removeListener("unhandledRejection", reportRejection);
  }
  if (caught) process.exit(128 + constants.signals[caught]);
}

function reportRejection(error: unknown): void {
  process.stderr.write(`a promise that nothing awaits failed: ${inspect(error)}\n`);
}
