import type { SealedColumn } from '../../../platform/crypto/index.js';
import { createHash } from 'node:crypto';
import { query, sql, type Foundation } from '../../../platform/database/index.js';
import { LeaseLost } from '../../../platform/jobs/index.js';
import { notFound } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { heldGeneration } from './generation-rows.js';

/** Of plaintext, in each chunk but the last. */
export const CHUNK_BYTES = 256 * 1024;

/** One statement stores as many chunks. */
export const CHUNKS_PER_STATEMENT = 4;

/** A chunk is sealed for one place of one content, and opens nowhere else. */
const chunkContext = (contentId: string, index: number) => `report_chunks/${contentId}/${index}`;

export const SEALED_CHUNKS: SealedColumn = {
  ...{ table: 'report_chunks', column: 'sealed_bytes', purpose: 'report_chunks', rows: 8 },
  key: ['content_id', 'chunk_index'],
  context: ([contentId, index]) => chunkContext(contentId as string, index as number),
};

/** A content that is complete. */
export interface WrittenContent {
  /** 32 bytes, of the plaintext. */
  readonly sha256: Uint8Array;
  readonly sizeBytes: number;
}

/** Writes a content in chunks, some being stored while the next are filled. Memory holds few, whatever the size. */
export function chunkWriter(foundation: Foundation, contentId: Id<'rpt'>, lease: string) {
  const hash = createHash('sha256');
  const buffer = new Uint8Array(CHUNK_BYTES);
  let filled = 0;
  let index = 0;
  let sizeBytes = 0;
  let sealed: SealedChunk[] = [];
  let storing: Promise<void> = Promise.resolve();

  const seal = (): void => {
    const piece = buffer.subarray(0, filled);
    hash.update(piece);
    sizeBytes += filled;
    sealed.push({ index, bytes: foundation.sealer.seal(piece, chunkContext(contentId, index)) });
    index += 1;
    filled = 0;
  };

  const store = async (): Promise<void> => {
    await storing;
    storing = insertChunks(foundation, { contentId, lease, chunks: sealed });
    // Awaited when the next chunks are stored, or at the end.
    storing.catch(() => undefined);
    sealed = [];
  };

  return {
    async write(data: string | Uint8Array): Promise<void> {
      let rest: Uint8Array = typeof data === 'string' ? Buffer.from(data) : data;
      while (rest.length > 0) {
        const taken = Math.min(rest.length, CHUNK_BYTES - filled);
        buffer.set(rest.subarray(0, taken), filled);
        filled += taken;
        rest = rest.subarray(taken);
        if (filled === CHUNK_BYTES) seal();
        if (sealed.length === CHUNKS_PER_STATEMENT) await store();
      }
    },
    async end(): Promise<WrittenContent> {
      if (filled > 0) seal();
      if (sealed.length > 0) await store();
      await storing;
      buffer.fill(0);
      return { sha256: hash.digest(), sizeBytes };
    },
  };
}

interface SealedChunk {
  readonly index: number;
  readonly bytes: Uint8Array;
}

/**
 * Stores chunks while the generation holds its lease. The commit does not wait for the disk: the transaction that
 * finishes the report does, and makes everything before it durable.
 */
async function insertChunks(
  { database }: Foundation,
  {
    contentId,
    lease,
    chunks,
  }: { readonly contentId: Id<'rpt'>; readonly lease: string; readonly chunks: readonly SealedChunk[] },
): Promise<void> {
  const rows = chunks.map(({ index, bytes }) => sql`(${index}::integer, ${bytes}::bytea)`);
  const held = query.selectFrom('report_generations').select('id').where(heldGeneration(contentId, lease));
  const written = await database.rows(
    query
      .with('held', () => held.forShare())
      .with('unhurried', (setting) =>
        setting.selectNoFrom(sql<string>`set_config('synchronous_commit', 'off', true)`.as('setting')),
      )
      .insertInto('report_chunks')
      .columns(['content_id', 'chunk_index', 'sealed_bytes'])
      // Raw: the builder selects from no list of values.
      .expression(
        sql`select held.id, chunk.index, chunk.bytes
          from held, unhurried, (values ${sql.join(rows)}) as chunk (index, bytes)`,
      )
      .returning('chunk_index'),
  );
  if (written.length === 0) throw new LeaseLost('report generation');
}

/** The bytes of a report of the organization from `start` up to but not including `end`, chunk by chunk. */
export async function* readReportBytes(
  { database, sealer }: Foundation,
  organizationId: Id<'org'>,
  reportId: string,
  { start, end }: { readonly start: number; readonly end: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  const [file] = await database.rows(
    query
      .selectFrom('reports')
      .innerJoin('report_files', (files) =>
        files
          .onRef('report_files.organization_id', '=', 'reports.organization_id')
          .onRef('report_files.sha256', '=', 'reports.sha256'),
      )
      .select('report_files.content_id as contentId')
      .where('reports.organization_id', '=', organizationId)
      .where('reports.id', '=', reportId as Id<'rpt'>),
  );
  if (!file) throw notFound('report');
  for (let at = start; at < end;) {
    const index = Math.floor(at / CHUNK_BYTES);
    const [chunk] = await database.rows(
      query
        .selectFrom('report_chunks')
        .select('sealed_bytes as sealed')
        .where('content_id', '=', file.contentId)
        .where('chunk_index', '=', index),
    );
    if (!chunk) throw new Error('A chunk of a report is missing.');
    const piece = sealer.open(chunk.sealed, chunkContext(file.contentId, index));
    const offset = index * CHUNK_BYTES;
    const last = Math.min(end - offset, piece.length);
    yield piece.subarray(at - offset, last);
    at = offset + last;
  }
}
