// What a client needs to know besides the bot, from options and from the environment.

import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";

import { type ChannelCredentials, type ClientOptions, credentials } from "@grpc/grpc-js";

import { Bot, type BotClass } from "./bot.js";
import { SetupError } from "./errors.js";
import { Referee } from "./service.js";

/** Options of `run` and `play`; they come before the environment. */
export interface Options {
  /** The referee, as `host:port` or `unix:/path`; `BLUKE_SERVER` if it is left out. */
  server?: string | undefined;
  /** Who the bot is; `BLUKE_TOKEN` if it is left out, and none if that is not set either. */
  token?: string | undefined;
  /** The name to be shown, at most 64 bytes; that of the class if it is left out. */
  name?: string | undefined;
  /** The bot's own version, at most 64 bytes. */
  version?: string | undefined;
  /** Who wrote the bot, at most 64 bytes. */
  author?: string | undefined;
  /** Games to play at once; 0 leaves that to the referee. */
  maxGames?: number | undefined;
  /** Whether to be told every public event (`Bot.event`). */
  events?: boolean | undefined;
  /** File with the root certificate (PEM) of the referee; `BLUKE_CA` if it is left out. */
  ca?: string | undefined;
  /** Speak without TLS to a referee on another machine; `BLUKE_INSECURE=1` if it is left out. */
  insecure?: boolean | undefined;
  /** Milliseconds without a welcome after which to give up; a minute if it is left out. */
  giveUp?: number | undefined;
  /** Once it aborts, the bot says goodbye and leaves. */
  signal?: AbortSignal | undefined;
  /** Takes warnings and reports of errors, a text each; standard error if it is left out. */
  log?: ((text: string) => void) | undefined;
}

export interface Settings {
  readonly botClass: BotClass;
  readonly server: string;
  readonly token: string;
  readonly name: string;
  readonly version: string;
  readonly author: string;
  readonly maxGames: number;
  readonly events: boolean;
  readonly credentials: ChannelCredentials;
  readonly giveUp: number;
  readonly signal: AbortSignal | undefined;
  readonly log: (text: string) => void;
}

const CHANNEL: ClientOptions = {
  "grpc.keepalive_time_ms": 10_000,
  "grpc.keepalive_timeout_ms": 5_000,
  "grpc.keepalive_permit_without_calls": 1,
  "grpc.enable_retries": 0,
  // A connection of another channel would bring its own pause before it is dialled again.
  "grpc.use_local_subchannel_pool": 1,
};

/** Complete the options; throws a SetupError for what is missing or wrong. */
export function readSettings(botClass: BotClass, options: Options): Settings {
  if (typeof botClass !== "function" || !(botClass.prototype instanceof Bot)) {
    throw new SetupError("this is no bot: derive a class from Bot and pass the class itself");
  }
  for (const method of ["bid", "play"] as const) {
    if (typeof botClass.prototype[method] !== "function") {
      throw new SetupError(`${botClass.name} has no ${method}: a bot must say how to bid and how to play`);
    }
  }
  const { env } = process;
  const server = options.server ?? env["BLUKE_SERVER"] ?? "";
  if (!server) throw new SetupError("no referee to dial: set BLUKE_SERVER to its address, such as localhost:7373");
  return {
    botClass,
    server,
    token: options.token ?? env["BLUKE_TOKEN"] ?? "",
    name: options.name || botClass.name,
    version: options.version ?? "",
    author: options.author ?? "",
    maxGames: options.maxGames ?? 0,
    events: options.events ?? false,
    credentials: readCredentials(
      server,
      options.ca ?? env["BLUKE_CA"] ?? "",
      options.insecure ?? env["BLUKE_INSECURE"] === "1",
    ),
    giveUp: options.giveUp ?? 60_000,
    signal: options.signal,
    log: options.log ?? ((text) => process.stderr.write(`${text}\n`)),
  };
}

/** TLS with the CA given, none on this machine, else TLS with the roots that Node knows. */
function readCredentials(server: string, ca: string, insecure: boolean): ChannelCredentials {
  if (ca) {
    try {
      const roots = readFileSync(ca);
      // gRPC would take any text, and then trust nobody.
      new X509Certificate(roots);
      return credentials.createSsl(roots);
    } catch (error) {
      throw new SetupError(`cannot read the CA certificate ${ca}: ${(error as Error).message} (BLUKE_CA)`);
    }
  }
  return insecure || isLocal(server) ? credentials.createInsecure() : credentials.createSsl();
}

function isLocal(server: string): boolean {
  if (server.startsWith("unix:")) return true;
  const host = server
    .replace(/^dns:(\/\/\/)?/, "")
    .replace(/:\d*$/, "")
    .replace(/^\[(.*)\]$/, "$1");
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}

/** Open a channel; nothing is dialled before something is called. */
export function openChannel({ server, credentials }: Settings): Referee {
  // A proxy for the web, common in the environment, would be asked for this very machine.
  const proxy = isLocal(server) ? { "grpc.enable_http_proxy": 0 } : {};
  try {
    return new Referee(server, credentials, { ...CHANNEL, ...proxy });
  } catch (error) {
    throw new SetupError(`${JSON.stringify(server)} is no address to dial: ${(error as Error).message} (BLUKE_SERVER)`);
  }
}
