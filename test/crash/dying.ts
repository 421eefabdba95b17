import { spawn } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { Id } from '../../src/platform/kernel/ids.js';
import type { KeyStoreConfiguration, MasterKeyPlace } from '../../src/platform/keys/index.js';
import type { DatabaseTarget } from '../kit/database/durable-database.js';

/** When a process dies: before the first statement that starts with `before`, after one that starts with `after` was sent. */
export interface Moment {
  readonly after?: string;
  readonly before: string;
}

export type Work = { readonly log: { readonly organizationId: Id<'org'>; readonly publicHost: string } } & (
  | { readonly kind: 'actThenSequence'; readonly foreignId: string }
  | { readonly kind: 'actAndSequence'; readonly prefix: string }
  | { readonly kind: 'report'; readonly sessionToken: string; readonly input: object }
  | {
      readonly kind: 'rotateSigningKey' | 'declareSigningKeyLost' | 'declareSigningKeyCompromised';
      readonly sessionToken: string;
    }
  | { readonly kind: 'rotateAuditorKey'; readonly sessionToken: string }
  | { readonly kind: 'importAuditorKey'; readonly keypair: string }
  | { readonly kind: 'exportAuditorKey'; readonly sessionToken: string; readonly recipient: string }
  | { readonly kind: 'moveRecords'; readonly before: string; readonly batchSize: number }
  | {
      readonly kind: 'archiveRecords';
      readonly before: string;
      readonly file: string;
      readonly batchSize: number;
    }
  | { readonly kind: 'attachRecords'; readonly file: string }
);

/** The configuration of stores that can be passed as JSON. For Cloud KMS, the port of its local server. */
export type ToldStores = Pick<KeyStoreConfiguration, 'pkcs11' | 'vault' | 'aws'> & {
  readonly gcp?: { readonly port: number };
};

export interface Victim {
  readonly target: DatabaseTarget;
  /** A master key, with no other data key than the one that is derived from it, or the setting of one. */
  readonly masterKey: Uint8Array | MasterKeyPlace;
  readonly stores?: ToldStores;
  /** The URI of the next key of a log. */
  readonly signingKey?: string;
  readonly work: Work;
  /** Without it, the process dies when the work is done. */
  readonly moment?: Moment;
}

const program = (name: string) => path.join(import.meta.dirname, name);

/**
 * Runs the work in a separate process that ends with SIGKILL: at its moment, when the work is done, or after `afterLines`
 * lines. Resolves to the lines that it printed. Throws if it ended in another way.
 */
export async function dying(
  { masterKey, ...victim }: Victim,
  afterLines = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const told = masterKey instanceof Uint8Array ? Buffer.from(masterKey).toString('base64') : masterKey;
  const task = { ...victim, masterKey: told };
  return diesAt(program('victim.mjs'), task, afterLines);
}

export interface KeyTask {
  readonly target: DatabaseTarget;
  /** The file of the master keys. */
  readonly file: string;
  readonly stores?: ToldStores;
  /** The URI of the key to rotate to. */
  readonly to?: string;
  readonly work: 'rotate' | 'reseal' | 'retire';
  readonly moment?: Moment;
}

/** Changes keys in a process like that of {@link dying}. */
export async function dyingOfKeys(task: KeyTask): Promise<void> {
  await diesAt(program('key-victim.mjs'), task, Number.POSITIVE_INFINITY);
}

async function diesAt(file: string, task: object, afterLines: number): Promise<string[]> {
  // The life of the process is too short for optimizing PGlite's WebAssembly to pay off.
  const child = spawn(process.execPath, ['--no-warnings', '--liftoff-only', file, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
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
