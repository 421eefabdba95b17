import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { pause } from '../../platform/jobs/index.js';
import { lifeOfProcess, startOfProcess, type ProcessLife } from './process-life.js';

const LOCK_FILE = 'lucarne.lock';
/** Waits up to 5 s for a process that is ending. Freeing several gigabytes of memory takes less. */
const MAX_ATTEMPTS = 500;
const LOOK_INTERVAL_MS = 10;
/** After the signal that kills a process, it takes a moment until the system shows that the process is ending. */
const LOOKS_AT_ALIVE = 3;

/** Another process holds the data directory. The message names the process and says what to do. */
export class DataDirectoryInUse extends Error {
  override readonly name = 'DataDirectoryInUse';
}

/**
 * Holds a data directory for this process: the embedded database is corrupted if it is opened twice. The lock is a file
 * with the holder's process id; the lock of a process that no longer exists is taken over immediately.
 */
export async function lockDataDirectory(directory: string): Promise<AsyncDisposable> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const lock = path.join(directory, LOCK_FILE);
  const own = path.join(directory, `${LOCK_FILE}.${process.pid}`);
  const started = await startOfProcess(process.pid);
  const identity = JSON.stringify({ pid: process.pid, host: os.hostname(), started });
  await writeFile(own, identity, { mode: 0o600 });
  let looksAtAlive = 0;
  try {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      if (await linkIfAbsent(own, lock)) {
        return {
          async [Symbol.asyncDispose]() {
            if ((await readOrNothing(lock)) === identity) await rm(lock, { force: true });
          },
        };
      }
      const holder = await readOrNothing(lock);
      if (holder === undefined) continue;
      const life = await lifeOf(holder);
      if (life === 'alive' && ++looksAtAlive === LOOKS_AT_ALIVE) throw inUse(directory, holder);
      if (life !== 'dead') {
        // The last write of a dying process may not have ended.
        await pause(LOOK_INTERVAL_MS);
        continue;
      }
      await removeStale(lock, holder, `${own}.stale`);
    }
    throw new DataDirectoryInUse(`Several processes try to use the data directory ${directory}. Try again.`);
  } finally {
    await rm(own, { force: true });
  }
}

// `link` fails if the name exists, so only one of two concurrent calls succeeds.
async function linkIfAbsent(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw thrown;
  }
}

// Renamed before it is removed. If it is a newer lock than the one that was read, it is renamed back.
async function removeStale(lock: string, holder: string, aside: string): Promise<void> {
  try {
    await rename(lock, aside);
  } catch {
    return;
  }
  if ((await readOrNothing(aside)) !== holder) await linkIfAbsent(aside, lock);
  await rm(aside, { force: true });
}

async function lifeOf(holder: string): Promise<ProcessLife> {
  const { pid, host, started } = parseIdentity(holder);
  if (host !== os.hostname()) return 'alive';
  // Before a restart, for example of a container, another process can have had the id of this one.
  return pid === undefined || pid === process.pid ? 'dead' : lifeOfProcess(pid, started);
}

function inUse(directory: string, holder: string): DataDirectoryInUse {
  const { pid, host } = parseIdentity(holder);
  // A process of another machine cannot be checked from here. A recreated container counts as another machine.
  const foreign =
    host === os.hostname() ? '' : ` If it has ended, remove ${path.join(directory, LOCK_FILE)}.`;
  return new DataDirectoryInUse(
    `The data directory ${directory} is in use by process ${pid ?? 'unknown'} on ${host ?? 'this machine'}. ` +
      `Stop that process, or set LUCARNE_DATA_DIR to another directory.${foreign}`,
  );
}

interface Identity {
  readonly pid: number | undefined;
  readonly host: string | undefined;
  readonly started: string | undefined;
}

function parseIdentity(text: string): Identity {
  try {
    const { pid, host, started } = JSON.parse(text) as Record<keyof Identity, unknown>;
    return {
      started: typeof started === 'string' ? started : undefined,
      pid: typeof pid === 'number' ? pid : undefined,
      host: typeof host === 'string' ? host : os.hostname(),
    };
  } catch {
    return { pid: undefined, host: os.hostname(), started: undefined };
  }
}

async function readOrNothing(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}
