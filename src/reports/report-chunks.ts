import { createHash } from 'node:crypto';
import { sql, type Foundation } from '../database/index.js';
import { notFound } from '../kernel/errors.js';
import type { Id } from '../kernel/ids.js';

/** Bytes of plaintext in each piece but the last. */
export const CHUNK_BYTES = 256 * 1024;

/** Pieces that one statement stores: a large one is as long in coming as a small one. */
export const STORED_TOGETHER = 4;

/** Sealed for one place of one content, a piece opens nowhere else. */
const chunkContext = (contentId: string, index: number) => `report_chunks/${contentId}/${index}`;

/** What was written, once it is complete. */
export interface WrittenContent {
  /** 32 bytes, of the plaintext. */
  readonly sha256: Uint8Array;
  readonly sizeBytes: number;
}

/** The generation was given to another, or was given up. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** Writes a content piece by piece, some being stored while the next are filled: memory holds few, whatever the size. */
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
    // Heard when the next are stored, or at the end.
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
        if (sealed.length === STORED_TOGETHER) await store();
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
 * Who lost the lease writes nothing: the row of the generation is held while its pieces are written. They wait for no
 * disk of their own: the transaction that finishes the report does, and with it everything that was logged before.
 */
async function insertChunks(
  { database }: Foundation,
  {
    contentId,
    lease,
    chunks,
  }: { readonly contentId: Id<'rpt'>; readonly lease: string; readonly chunks: readonly SealedChunk[] },
): Promise<void> {
  const pieces = chunks.map(({ index, bytes }) => sql`(${index}::integer, ${bytes}::bytea)`);
  const written = await database.rows(sql`
    with held as (
      select id from report_generations
      where id = ${contentId} and status = 'running' and lease_owner = ${lease} for share
    ), unhurried as (
      select set_config('synchronous_commit', 'off', true) as setting
    )
    insert into report_chunks (content_id, chunk_index, sealed_bytes)
    select held.id, piece.index, piece.bytes
    from held, unhurried, (values ${sql.join(pieces)}) as piece (index, bytes) returning chunk_index`);
  if (written.length === 0) throw new LeaseLost('The generation was given up.');
}

/** The bytes of a report of the organization from `start` up to but not including `end`, one piece at a time. */
export async function* readReportBytes(
  { database, sealer }: Foundation,
  organizationId: Id<'org'>,
  reportId: string,
  { start, end }: { readonly start: number; readonly end: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  const [file] = await database.rows(sql<{ contentId: string }>`
    select report_files.content_id as "contentId"
    from reports join report_files using (organization_id, sha256)
    where reports.organization_id = ${organizationId} and reports.id = ${reportId}`);
  if (!file) throw notFound('report');
  for (let at = start; at < end;) {
    const index = Math.floor(at / CHUNK_BYTES);
    const [chunk] = await database.rows(sql<{ sealed: Uint8Array }>`
      select sealed_bytes as sealed from report_chunks
      where content_id = ${file.contentId} and chunk_index = ${index}`);
    if (!chunk) throw new Error('A piece of a report is missing.');
    const piece = sealer.open(chunk.sealed, chunkContext(file.contentId, index));
    const offset = index * CHUNK_BYTES;
    const last = Math.min(end - offset, piece.length);
    yield piece.subarray(at - offset, last);
    at = offset + last;
  }
}
