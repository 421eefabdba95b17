import { MAX_SEALING_LENGTH, type SealedColumn } from '../../../platform/crypto/index.js';
import { createHash } from 'node:crypto';
import {
  query,
  sql,
  template,
  withoutFlush,
  type Foundation,
  type Reader,
} from '../../../platform/database/index.js';
import { LeaseLost, timeSlices } from '../../../platform/jobs/index.js';
import { conflict, notFound, unavailable } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { heldGeneration } from './generation-rows.js';

/** Bytes of plaintext in each chunk except the last. */
export const CHUNK_BYTES = 256 * 1024;
/** One is filled, one is stored, and one waits. */
const BUFFERS = 3;

/** A chunk is sealed for one position in one content, and opens nowhere else. */
const chunkContext = (contentId: string, index: number) => `report_chunks/${contentId}/${index}`;

export const SEALED_CHUNKS: SealedColumn = {
  ...{ table: 'report_chunks', column: 'sealed_bytes', purpose: 'report_chunks', rows: 8 },
  key: ['content_id', 'chunk_index'],
  context: ([contentId, index]) => chunkContext(contentId as string, index as number),
};

/** A complete content. */
export interface WrittenContent {
  /** 32 bytes, of the plaintext. */
  readonly sha256: Uint8Array;
  readonly sizeBytes: number;
}

/**
 * Writes content in chunks, which are stored one after the other while the next ones are filled: PostgreSQL takes almost twice
 * the CPU for chunks that several connections store at once. Memory use is the same for any content size. The buffers are
 * reused, because freeing memory outside of the heap makes the garbage collector scan the whole heap.
 *
 * A chunk is sealed just before it is stored: the data key that seals now could be retired while a chunk waits.
 */
export function chunkWriter(foundation: Foundation, contentId: Id<'rpt'>, lease: string) {
  const hash = createHash('sha256');
  const encoder = new TextEncoder();
  const buffers = Array.from({ length: BUFFERS }, () => new Uint8Array(CHUNK_BYTES));
  const sealed = new Uint8Array(CHUNK_BYTES + MAX_SEALING_LENGTH);
  const slice = timeSlices();
  let filled = 0;
  let index = 0;
  let sizeBytes = 0;
  /** From the oldest on. */
  const storing: Promise<void>[] = [];

  const current = () => buffers[index % BUFFERS]!;

  const storeAfter = async (previous: Promise<void> | undefined, at: number, piece: Uint8Array) => {
    await previous;
    const chunk = foundation.sealer.seal(piece, chunkContext(contentId, at), sealed);
    await storeChunk(foundation, { contentId, lease, index: at, chunk });
  };

  const store = async (): Promise<void> => {
    const piece = current().subarray(0, filled);
    hash.update(piece);
    sizeBytes += filled;
    const stored = storeAfter(storing.at(-1), index, piece);
    // Awaited before its buffer is filled again, or at the end.
    stored.catch(() => undefined);
    storing.push(stored);
    filled = 0;
    index += 1;
    if (storing.length === BUFFERS) await storing.shift();
  };

  /** Adds as many bytes as there is room for. Returns the rest. */
  const fill = (data: string | Uint8Array): string | Uint8Array => {
    const left = current().subarray(filled);
    if (typeof data === 'string') {
      const { read, written } = encoder.encodeInto(data, left);
      filled += written;
      // The remaining room may be too small for the next character.
      return written > 0 || data === '' ? data.slice(read) : Buffer.from(data);
    }
    const taken = data.subarray(0, left.length);
    left.set(taken);
    filled += taken.length;
    return data.subarray(taken.length);
  };

  return {
    async write(data: string | Uint8Array): Promise<void> {
      for (let rest = data; rest.length > 0;) {
        rest = fill(rest);
        if (filled < CHUNK_BYTES) continue;
        await store();
        const turn = slice();
        if (turn) await turn;
      }
    },
    async end(): Promise<WrittenContent> {
      if (filled > 0) await store();
      await Promise.all(storing);
      for (const buffer of buffers) buffer.fill(0);
      return { sha256: hash.digest(), sizeBytes };
    },
  };
}

interface SealedChunk {
  readonly contentId: Id<'rpt'>;
  readonly lease: string;
  readonly index: number;
  readonly chunk: Uint8Array;
}

/**
 * Stores a chunk while the generation holds its lease. The commit does not wait for the disk: the transaction that finishes the
 * report does, and makes everything before it durable. A server that restarts before that loses the last chunks, which
 * {@link requireChunks} finds. The statement has one chunk, and is planned once: PostgreSQL takes longer for each byte of a larger
 * value, and of a value that it plans with.
 */
const insertChunk = template('stored_report_chunk', ({ contentId, lease, index, chunk }: SealedChunk) => {
  const held = query.selectFrom('report_generations').select('id').where(heldGeneration(contentId, lease));
  return (
    query
      .with('held', () => held.forShare())
      .with('unhurried', (setting) => setting.selectNoFrom(withoutFlush.as('setting')))
      .insertInto('report_chunks')
      .columns(['content_id', 'chunk_index', 'sealed_bytes'])
      // Raw: the builder selects no parameters as columns.
      .expression(sql`select held.id, ${index}::integer, ${chunk}::bytea from held, unhurried`)
      .returning('chunk_index')
  );
});

/** Throws unless every chunk of the content is stored. A server that restarted, or was replaced, may have lost the last ones. */
export async function requireChunks(
  reader: Reader,
  contentId: Id<'rpt'>,
  { sizeBytes }: WrittenContent,
): Promise<void> {
  const [stored] = await reader.rows(
    query
      .selectFrom('report_chunks')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('content_id', '=', contentId),
  );
  if (stored?.count !== Math.ceil(sizeBytes / CHUNK_BYTES))
    throw unavailable('The database restarted and lost a part of the report. Generate the report again.', {
      retryAfterSeconds: 5,
    });
}

async function storeChunk({ database }: Foundation, chunk: SealedChunk): Promise<void> {
  const written = await database.rows(insertChunk(chunk));
  if (written.length === 0) throw new LeaseLost('report generation');
}

/**
 * The bytes of a report of the organization from `start` to `end` (exclusive), chunk by chunk. `CONFLICT` if the file is
 * deleted, before or meanwhile.
 */
export async function* readReportBytes(
  { database, sealer }: Foundation,
  organizationId: Id<'org'>,
  reportId: string,
  { start, end }: { readonly start: number; readonly end: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  const contentOf = async (): Promise<Id<'rpt'>> => {
    const [report] = await database.rows(
      query
        .selectFrom('reports')
        .leftJoin('report_files', 'report_files.content_id', 'reports.content_id')
        .select('report_files.content_id as contentId')
        .where('reports.organization_id', '=', organizationId)
        .where('reports.id', '=', reportId as Id<'rpt'>),
    );
    if (!report) throw notFound('report');
    return report.contentId ?? refuseDeleted();
  };
  const contentId = await contentOf();
  for (let at = start; at < end;) {
    const index = Math.floor(at / CHUNK_BYTES);
    const [chunk] = await database.rows(
      query
        .selectFrom('report_chunks')
        .select('sealed_bytes as sealed')
        .where('content_id', '=', contentId)
        .where('chunk_index', '=', index),
    );
    if (!chunk) {
      await contentOf();
      throw new Error('A chunk of a report is missing.');
    }
    const piece = sealer.open(chunk.sealed, chunkContext(contentId, index));
    const offset = index * CHUNK_BYTES;
    const last = Math.min(end - offset, piece.length);
    yield piece.subarray(at - offset, last);
    at = offset + last;
  }
}

export function refuseDeleted(): never {
  throw conflict(
    'The file of the report was deleted at the end of its retention. The report and its log entries remain.',
  );
}
