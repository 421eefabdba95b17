import { spawn } from 'node:child_process';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../../..');

/** One exchange: wait until the terminal shows `shown`, then type `keys`. */
export interface Exchange {
  readonly shown: string;
  readonly keys: string;
}

/**
 * Runs the `lucarne` command on a real pseudo-terminal, created by the `script` command of util-linux, and types like a person.
 * Resolves with the exit code and everything that the terminal showed, including echoed keys.
 */
export async function runOnTerminal(
  parameters: readonly string[],
  environment: Readonly<Record<string, string>>,
  exchanges: readonly Exchange[],
): Promise<{ readonly exitCode: number | null; readonly screen: string }> {
  const command = [process.execPath, '--liftoff-only', path.join(ROOT, 'bin/lucarne.mjs'), ...parameters];
  // Without a shell in between, which Control-C would also end.
  const quoted = command.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ');
  const { PATH, HOME } = process.env;
  const terminal = spawn(
    'script',
    ['--quiet', '--return', '--flush', '--command', `exec ${quoted}`, '/dev/null'],
    {
      env: { PATH, HOME, SHELL: '/bin/sh', TERM: 'xterm', ...environment },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  let screen = '';
  let from = 0;
  const waiting = [...exchanges];
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    const [next] = waiting;
    const at = next ? screen.indexOf(next.shown, from) : -1;
    if (!next || at < 0) return;
    from = at + next.shown.length;
    waiting.shift();
    terminal.stdin.write(next.keys);
  });
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    terminal.once('error', reject);
    terminal.once('close', resolve);
  });
  return { exitCode, screen };
}
