import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { MUTATIONS } from '../../simulation/mutations.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
// Bounded by what is simulated: how long it takes decides nothing.
const LIMIT_MS = 600_000;

function simulate(...options: string[]): Promise<{ readonly code: number; readonly output: string }> {
  const command = ['--no-warnings', path.join(ROOT, 'simulation/main.ts'), ...options];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, command, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    );
  });
}

describe('the simulation of the relayer', () => {
  it(
    'keeps every invariant in worlds of fixed seeds, and of a fresh one',
    async () => {
      const { code, output } = await simulate('--seed', '1', '--seeds', '8', '--fresh');
      // The fresh seed must be seen: a failure is repeated with it.
      process.stdout.write(output);
      expect(output).toContain('A fresh seed: ');
      expect(code).toBe(0);
    },
    LIMIT_MS,
  );

  it(
    'notices a broken rule, and says how to repeat what it saw',
    async () => {
      const { code, output } = await simulate(
        '--mutation',
        'lease-not-respected',
        '--seed',
        '1',
        '--finds',
        '1',
      );
      expect(output).toContain('a worker takes what another one holds');
      expect(code).toBe(1);
    },
    LIMIT_MS,
  );

  it.each(Object.entries(MUTATIONS))('can break the rule %s', (_, { edits }) => {
    for (const { file, find } of edits)
      expect(readFileSync(path.join(ROOT, 'src', file), 'utf8').split(find)).toHaveLength(2);
  });
});
