/** 1: the command failed or was refused. 2: the command line or one of its values is invalid. */
export type FailureCode = 1 | 2;

/** Ends a command with an exit code. The message is a sentence for the user; empty if it has already been printed. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';

  constructor(
    message: string,
    readonly exitCode: FailureCode = 1,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
