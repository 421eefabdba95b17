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
  terminal.output.write(`${harmless(line.replaceAll('\n', escaped))}\n`);
}

/** Prints the result of `--json` as one indented document. */
export function printJson(terminal: Terminal, value: unknown): void {
  terminal.output.write(`${harmless(JSON.stringify(value, null, 2))}\n`);
}

/** Prints a note for the user, which a pipe does not receive. */
export function note(terminal: Terminal, line: string): void {
  terminal.errors.write(`${harmless(line)}\n`);
}

const ESCAPE = '\u001b';
/** The sequences of {@link styled}, and every other character that moves the cursor or changes the direction of text. */
const STYLES_AND_CONTROLS = new RegExp(
  String.raw`${ESCAPE}\[(?:[12]|22|3[1269])m|[^\P{Cc}\t\n]|\p{Bidi_Control}`,
  'gu',
);

/** Text from elsewhere, such as a file that is verified, must not overwrite earlier output. */
const harmless = (text: string) =>
  text.replace(STYLES_AND_CONTROLS, (found) => (found.length === 1 ? escaped(found) : found));

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Styled if the output is a terminal with colors. Respects `NO_COLOR` and `FORCE_COLOR`. */
export function styled(terminal: Terminal, style: Style, text: string): string {
  return styleText(style, text, { stream: terminal.output });
}
