import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CommandFailed } from './command-failed.js';
import type { Terminal } from './terminal.js';

const LONGEST_BYTES = 4096;

export const PASSWORD_OPTION = [
  '--password-stdin',
  'Read the password from standard input instead of asking for it.',
] as const;

/** A new password: asked for twice without echo, or the first line of standard input. It is never an argument. */
export async function readNewPassword(
  terminal: Terminal,
  { passwordStdin = false, whose }: { readonly passwordStdin?: boolean | undefined; readonly whose: string },
): Promise<string> {
  if (passwordStdin) return readFromStandardInput(terminal);
  if (terminal.input.isTTY !== true) {
    throw new CommandFailed('There is no terminal to ask for the password on; use --password-stdin.', 2);
  }
  const password = await ask(terminal, `Password of ${whose}: `);
  const again = await ask(terminal, 'The same again: ');
  if (password !== again) throw new CommandFailed('The two passwords differ; nothing was changed.', 2);
  return password;
}

async function readFromStandardInput({ input }: Terminal): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of input as AsyncIterable<Buffer | string>) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > LONGEST_BYTES) throw new CommandFailed('The password on standard input is too long.', 2);
    chunks.push(bytes);
  }
  const [line = ''] = Buffer.concat(chunks).toString('utf8').split(/\r?\n/, 1);
  return line;
}

// Readline edits the line and writes what is typed to its output, which here goes nowhere.
function ask(terminal: Terminal, question: string): Promise<string> {
  terminal.errors.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: terminal.input, output: nowhere, terminal: true });
  return new Promise((resolve, reject) => {
    const given = (outcome: () => void) => {
      reader.close();
      terminal.errors.write('\n');
      outcome();
    };
    reader.once('line', (line) => given(() => resolve(line)));
    reader.once('SIGINT', () => given(() => reject(new CommandFailed('Cancelled; nothing was changed.'))));
    reader.once('close', () => reject(new CommandFailed('No password was given; nothing was changed.')));
  });
}
