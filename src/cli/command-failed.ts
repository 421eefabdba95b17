/** 0 done · 1 refused or failed · 2 the command line or a value in it is wrong. */
export type FailureCode = 1 | 2;

/** A command that could not do what was asked. The message is a sentence for the person; an empty one was told already. */
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
