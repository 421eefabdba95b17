import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CommandFailed } from './command-failed.js';
import type { Terminal } from './terminal.js';

const MAX_SECRET_BYTES = 4096;

export const PASSWORD_OPTION = [
  '--password-stdin',
  'Read the password from standard input instead of prompting for it.',
] as const;

/** A new password: prompted for twice without echo, or the first line of standard input. It is never an argument. */
export async function readNewPassword(
  terminal: Terminal,
  { passwordStdin = false, whose }: { readonly passwordStdin?: boolean | undefined; readonly whose: string },
): Promise<string> {
  if (passwordStdin) return firstLineOf(await readSecret(terminal, 'password'));
  if (terminal.input.isTTY !== true) {
    throw new CommandFailed('There is no terminal to prompt for the password. Use --password-stdin.', 2);
  }
  using prompt = openPrompt(terminal);
  const password = await prompt.ask(`Password of ${whose}: `);
  const repeated = await prompt.ask('Repeat the password: ');
  if (password !== repeated) throw new CommandFailed('The passwords do not match. Nothing was changed.', 2);
  return password;
}

const firstLineOf = (text: string): string => text.split(/\r?\n/, 1)[0] ?? '';

/** All of standard input. Secrets are read from it, because every user of the machine can list the arguments of a process. */
export async function readSecret({ input }: Terminal, what: string): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of input as AsyncIterable<Buffer | string>) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > MAX_SECRET_BYTES) throw new CommandFailed(`The ${what} on standard input is too long.`, 2);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

// One reader for all questions, opened before the first question is printed. It turns echo off, and keeps lines that were
// typed ahead. The typed text is echoed to an output that discards it.
function openPrompt({ input, errors }: Terminal): Disposable & { ask(question: string): Promise<string> } {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input, output, terminal: true });
  const lines = reader[Symbol.asyncIterator]();
  let cancelled = false;
  reader.once('SIGINT', () => {
    cancelled = true;
    reader.close();
  });
  return {
    async ask(question) {
      errors.write(question);
      const line = await lines.next();
      errors.write('\n');
      if (!line.done) return line.value;
      throw new CommandFailed(`${cancelled ? 'Cancelled' : 'No password was entered'}. Nothing was changed.`);
    },
    [Symbol.dispose]: () => reader.close(),
  };
}
