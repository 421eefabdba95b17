import { spawn } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { Id } from '../../src/kernel/ids.js';
import type { DatabaseTarget } from '../kit/durable-database.js';

/** When a process dies: about to send the first statement that begins so, of those behind one that begins otherwise. */
export interface Moment {
  readonly behind?: string;
  readonly before: string;
}

export type Work = { readonly log: { readonly organizationId: Id<'org'>; readonly publicHost: string } } & (
  | { readonly kind: 'actThenSequence'; readonly foreignId: string }
  | { readonly kind: 'actAndSequence'; readonly prefix: string }
  | { readonly kind: 'report'; readonly sessionToken: string; readonly input: object }
);

export interface Victim {
  readonly target: DatabaseTarget;
  readonly masterKey: Uint8Array;
  readonly work: Work;
  /** When the work is done, in its absence. */
  readonly moment?: Moment;
}

const PROGRAM = path.join(import.meta.dirname, 'victim.mjs');

/**
 * Does the work in a process of its own, which ends by SIGKILL: at its moment, when it has done the work, or after so
 * many lines. Answers the lines that it said. Throws when it ended otherwise.
 */
export async function dying(
  { masterKey, ...victim }: Victim,
  afterLines = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const sealed = { ...victim, masterKey: Buffer.from(masterKey).toString('base64') };
  // It lives too short for PGlite's WebAssembly to be worth optimizing.
  const child = spawn(
    process.execPath,
    ['--no-warnings', '--liftoff-only', PROGRAM, JSON.stringify(sealed)],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (lines.push(line) === afterLines) child.kill('SIGKILL');
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const signal = await new Promise<NodeJS.Signals | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (_exitCode, signal) => resolve(signal));
  });
  if (signal !== 'SIGKILL') throw new Error(`The process was not killed. ${errors}`);
  return lines;
}
