import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { badUserInput, conflict } from '../../../platform/kernel/errors.js';

/**
 * The file of a part: JSON lines, compressed with gzip. The first line names the format and the part. Each following line is
 * a record with the columns of the table, sorted by asset and position. The last line has the number of records.
 */
const FORMAT = 'lucarne-records/1';

/** Records that are read back at a time. */
const BATCH_SIZE = 1_000;

/** The first line. */
interface Header {
  readonly format: typeof FORMAT;
  /** The day before which the records were indexed. */
  readonly before: string;
}

/** Writes the whole file or nothing. A process that dies leaves `<file>.unfinished`, which the next one replaces. */
export async function writeArchive(
  file: string,
  before: string,
  batches: AsyncIterable<readonly string[]>,
): Promise<void> {
  const unfinished = `${file}.unfinished`;
  await rm(unfinished, { force: true });
  const handle = await open(unfinished, 'wx', 0o600);
  try {
    // Another command may have finished it since. From here on, its name is taken by nobody else.
    requireAbsent(file);
    const header: Header = { format: FORMAT, before };
    const lines = async function* () {
      let records = 0;
      yield `${JSON.stringify(header)}\n`;
      for await (const batch of batches) {
        records += batch.length;
        yield `${batch.join('\n')}\n`;
      }
      yield `${JSON.stringify({ records })}\n`;
    };
    await pipeline(lines, createGzip(), async (compressed: AsyncIterable<Buffer>) => {
      for await (const chunk of compressed) await handle.appendFile(chunk);
    });
    await handle.sync();
    requireAbsent(file);
  } catch (thrown) {
    await rm(unfinished, { force: true });
    throw thrown;
  } finally {
    await handle.close();
  }
  await rename(unfinished, file);
}

function requireAbsent(file: string): void {
  if (existsSync(file)) throw conflict(`The file ${file} was written meanwhile. Name another file.`);
}

/** Syncs the file and its name to the disk, even if an earlier process wrote them. */
export async function flushArchive(file: string): Promise<void> {
  for (const written of [file, path.dirname(file)]) {
    await using handle = await open(written);
    await handle.sync();
  }
}

/** An open file. Disposing of it closes the file, even if nothing was read. */
export interface Archive extends AsyncDisposable {
  readonly before: string;
  /** The records in batches, as JSON arrays. It throws if the file is incomplete. */
  readonly batches: AsyncGenerator<{ readonly json: string; readonly count: number }, void, undefined>;
  /** The SHA-256 of the bytes of the file. It is known once all batches were read. */
  digest(): string;
}

/** @throws {LucarneError} if the file is not an archive. */
export async function openArchive(file: string): Promise<Archive> {
  const hash = createHash('sha256');
  const lines = linesOf(file, hash);
  const close = async () => {
    await lines.return();
  };
  try {
    const header = await lines.next().catch((thrown: unknown) => {
      throw notAnArchive(thrown);
    });
    const { format, before } = membersOf(header.value);
    if (format !== FORMAT || typeof before !== 'string') throw notAnArchive();
    return {
      ...{ before, batches: batchesOf(lines), digest: () => hash.digest('hex') },
      [Symbol.asyncDispose]: close,
    };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

async function* batchesOf(lines: AsyncGenerator<string, void, undefined>): Archive['batches'] {
  let batch: string[] = [];
  let records = 0;
  let last: string | undefined;
  const taken = () => {
    const made = { json: `[${batch.join(',')}]`, count: batch.length };
    batch = [];
    return made;
  };
  try {
    for await (const line of lines) {
      if (last !== undefined) {
        records += 1;
        if (batch.push(last) === BATCH_SIZE) yield taken();
      }
      last = line;
    }
  } catch (thrown) {
    if (isOfZlib(thrown)) throw notAnArchive(thrown);
    throw thrown;
  }
  if (membersOf(last)['records'] !== records) throw notAnArchive();
  if (batch.length > 0) yield taken();
}

async function* linesOf(
  file: string,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<string, void, undefined> {
  // Closed once the stream is done with it.
  await using handle = await open(file);
  const hashed = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  const text = createGunzip().setEncoding('utf8');
  const read = pipeline(handle.createReadStream(), hashed, text);
  // It also throws while the text is read.
  read.catch(() => undefined);
  let rest = '';
  for await (const chunk of text as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
  await read;
  if (rest !== '') yield rest;
}

function membersOf(line: unknown): Partial<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(typeof line === 'string' ? line : '');
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch (thrown) {
    throw notAnArchive(thrown);
  }
}

const isOfZlib = (thrown: unknown) =>
  thrown instanceof Error && 'code' in thrown && String(thrown.code).startsWith('Z_');

function notAnArchive(cause?: unknown): Error {
  // A file that cannot be read at all has a separate message.
  if (cause instanceof Error && 'syscall' in cause) return cause;
  return badUserInput('The file is not a complete archive that `lucarne records archive` wrote.', { cause });
}
