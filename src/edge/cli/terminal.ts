import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';

type Style = 'bold' | 'dim' | 'green' | 'red' | 'cyan';

/** Where a command reads and writes. Data goes to `output`; prompts, notes and errors go to `errors`. */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable;
  readonly errors: Writable;
}

/** Prints one line of the result. */
export function print(terminal: Terminal, line = ''): void {
  terminal.output.write(`${line}\n`);
}

/** Prints the result of `--json` as one indented document. */
export function printJson(terminal: Terminal, value: unknown): void {
  print(terminal, JSON.stringify(value, null, 2));
}

/** Prints a note for the user, which a pipe does not receive. */
export function note(terminal: Terminal, line: string): void {
  terminal.errors.write(`${line}\n`);
}

/** Styled if the output is a terminal with colors. Respects `NO_COLOR` and `FORCE_COLOR`. */
export function styled(terminal: Terminal, style: Style, text: string): string {
  return styleText(style, text, { stream: terminal.output });
}
