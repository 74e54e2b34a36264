// What can end `play` early; `run` turns each into a sentence and an exit code.

/** The bot cannot go on; the message says why, for a person. */
export class SdkError extends Error {
  override readonly name: string = "SdkError";
  readonly exitCode: number = 1;
}

/** No referee answered for longer than the bot was told to try. */
export class UnreachableError extends SdkError {
  override readonly name = "UnreachableError";
}

/** The referee refused the hello; the message is its own. */
export class RefusedError extends SdkError {
  override readonly name = "RefusedError";
  override readonly exitCode = 2;
}

/** An option or an environment variable is missing or wrong. */
export class SetupError extends SdkError {
  override readonly name = "SetupError";
  override readonly exitCode = 2;
}
