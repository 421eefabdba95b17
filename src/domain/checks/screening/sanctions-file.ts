import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { messageOf } from '../../../platform/kernel/errors.js';
import type { Log } from '../../../platform/kernel/log.js';
import { createPollLoop } from '../../../platform/jobs/index.js';
import { readSanctionsList, type SanctionsList, UnreadableSanctionsList } from './parse-sanctions-list.js';

/** A sanctions file that is read at once, and again whenever it changes. */
export interface SanctionsFile extends AsyncDisposable {
  /** The list of the last complete read; `undefined` before the first. */
  readonly current: () => SanctionsList | undefined;
}

export interface SanctionsFileOptions {
  readonly file: string;
  readonly log: Log;
  /** Called for each failed read. */
  readonly failed: () => void;
  readonly pollMs?: number;
}

/**
 * Polls the file's identity, size and time, because `fs.watch` misses changes on a mount or by another host. A new list
 * replaces the previous one when all of it has been read. If the file cannot be read, nothing changes.
 */
export function watchSanctionsFile(options: SanctionsFileOptions): SanctionsFile {
  const { file, log, failed, pollMs = 5_000 } = options;
  const stopping = new AbortController();
  let list: SanctionsList | undefined;
  let looked: string | undefined;
  let complaint: string | undefined;

  const load = async (): Promise<void> => {
    const found = await fingerprintOf(file);
    if (found === looked) return;
    const read = await readSanctionsList(createReadStream(file, { signal: stopping.signal })).catch(
      (thrown: unknown) => {
        // A malformed file is not read again until it changes. An unreadable file is.
        if (thrown instanceof UnreadableSanctionsList) looked = found;
        throw thrown;
      },
    );
    if ((await fingerprintOf(file)) !== found) throw new Error('The file changed while it was read.');
    looked = found;
    list = read;
    complaint = undefined;
    log.info({ version: read.version, entries: read.addresses.size }, 'The sanctions list is loaded.');
  };

  const complain = (thrown: unknown): void => {
    const reason = messageOf(thrown);
    // A missing file is reported once, not at each check.
    if (!(thrown instanceof UnreadableSanctionsList) && reason === complaint) return;
    complaint = reason;
    failed();
    log.error(
      { err: thrown, keptVersion: list?.version ?? null },
      list
        ? 'The sanctions file cannot be read. The previous list stays in force.'
        : 'The sanctions file cannot be read. No address is approved until it can be read.',
    );
  };

  const loop = createPollLoop({
    pollMs,
    turn: load,
    failed(thrown) {
      if (!stopping.signal.aborted) complain(thrown);
    },
  });
  loop.start();

  return {
    current: () => list,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await loop.stop();
    },
  };
}

async function fingerprintOf(file: string): Promise<string> {
  const found = await stat(file, { bigint: true });
  if (!found.isFile()) throw new Error('The path of the sanctions file is not a regular file.');
  return [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ');
}
