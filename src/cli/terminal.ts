import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';

type Style = 'bold' | 'dim' | 'green' | 'red' | 'cyan';

/** Where a command reads and writes. Data goes to `output`; prompts, notes and refusals go to `errors`. */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable;
  readonly errors: Writable;
}

/** One line of what was asked for. */
export function print(terminal: Terminal, line = ''): void {
  terminal.output.write(`${line}\n`);
}

/** The data of a `--json` answer, as one indented document. */
export function printJson(terminal: Terminal, value: unknown): void {
  print(terminal, JSON.stringify(value, null, 2));
}

/** A note to the person, kept out of what a pipe receives. */
export function note(terminal: Terminal, line: string): void {
  terminal.errors.write(`${line}\n`);
}

/** Styled where the output is a terminal with colours; `NO_COLOR` and `FORCE_COLOR` count. */
export function styled(terminal: Terminal, style: Style, text: string): string {
  return styleText(style, text, { stream: terminal.output });
}
