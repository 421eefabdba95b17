import { sha256, type SealedColumn, type Sealer } from '../../platform/crypto/index.js';
import { type Database, query, sql } from '../../platform/database/index.js';
import { hex } from '../../platform/kernel/encoding/bytes.js';
import type { Id } from '../../platform/kernel/ids.js';
import type { Report } from './report.js';

export const DIGEST_SALT_BYTES = 16;
const DIGEST_BYTES = 32;

/**
 * The digest of a report's file in the log: hex of SHA-256(salt ‖ digest), both with a fixed length. Only those who may
 * download the file get the salt. Without it, guesses of the content cannot be tested.
 */
export const saltedDigest = (salt: Uint8Array, digest: Uint8Array) => hex.encode(sha256(salt, digest));

/** The digest of the file of a report, and its salt. Anyone who has both, and the log, can test guesses of the content. */
export interface ReportDigest {
  /** SHA-256 of the file, 32 bytes. */
  readonly digest: Uint8Array;
  /** 16 bytes: the log holds `saltedDigest(salt, digest)`. */
  readonly salt: Uint8Array;
}

const digestContext = (id: string) => `report_digests/${id}`;

/** The digest, followed by the salt. */
export const SEALED_DIGESTS: SealedColumn = {
  ...{ table: 'reports', column: 'sealed_digest', purpose: 'report_digests', rows: 200 },
  key: ['id'],
  context: ([id]) => digestContext(id as string),
};

export const sealDigest = (sealer: Sealer, id: Id<'rpt'>, { digest, salt }: ReportDigest): Uint8Array =>
  sealer.seal(Buffer.concat([digest, salt]), digestContext(id));

export function digestOf(
  sealer: Sealer,
  {
    id,
    sealedDigest,
    sha256: digest,
    digestSalt: salt,
  }: Pick<Report, 'id' | 'sealedDigest' | 'sha256' | 'digestSalt'>,
): ReportDigest {
  // An earlier version wrote it, and it is not sealed yet.
  if (digest && salt) return { digest, salt };
  const opened = sealer.open(sealedDigest!, digestContext(id));
  return { digest: opened.subarray(0, DIGEST_BYTES), salt: opened.subarray(DIGEST_BYTES) };
}

/** Identifies equal files of an organization. It reveals nothing about them without the key of digests. */
export const contentKeyOf = (sealer: Sealer, organizationId: Id<'org'>, digest: Uint8Array): Uint8Array =>
  sealer.digest(hex.encode(digest), `report_files/${organizationId}`);

const BATCH_SIZE = 500;

/**
 * Seals the digests that an earlier version stored in plaintext, batch by batch. Two instances may run it concurrently. The
 * caller owns the tables.
 */
export async function sealDigestsInClear(database: Database, sealer: Sealer): Promise<void> {
  for (;;) {
    const reports = await database.rows(
      query
        .selectFrom('reports')
        .select(['id', 'sha256 as digest', 'digest_salt as salt'])
        .where('sha256', 'is not', null)
        .orderBy('id')
        .limit(BATCH_SIZE),
    );
    for (const { id, digest, salt } of reports)
      await database.rows(
        query
          .updateTable('reports')
          .set({
            sha256: null,
            digest_salt: null,
            sealed_digest: sealDigest(sealer, id, { digest: digest!, salt: salt! }),
          })
          .where('id', '=', id)
          .where('sha256', 'is not', null),
      );
    if (reports.length < BATCH_SIZE) break;
  }
  for (;;) {
    const files = await database.rows(
      query
        .selectFrom('report_files')
        .select(['content_id as contentId', 'organization_id as organizationId', 'sha256 as digest'])
        .where('sha256', 'is not', null)
        .limit(BATCH_SIZE),
    );
    for (const { contentId, organizationId, digest } of files) {
      const key = contentKeyOf(sealer, organizationId, digest!);
      const isKnown = query
        .selectFrom('report_files as other')
        .select(sql`1`.as('one'))
        .where('other.organization_id', '=', organizationId)
        .where('other.content_key', '=', key);
      await database.rows(
        query
          .updateTable('report_files')
          // The same content may have been stored again since. One file of it is found from now on.
          .set((file) => ({
            sha256: null,
            content_key: file
              .case()
              .when(file.exists(isKnown))
              .then(null)
              .else(sql<Uint8Array>`${key}::bytea`)
              .end(),
          }))
          .where('content_id', '=', contentId)
          .where('sha256', 'is not', null),
      );
    }
    if (files.length < BATCH_SIZE) return;
  }
}

/** Whether digests of an earlier version are still in plaintext. */
export async function hasDigestsInClear(database: Pick<Database, 'rows'>): Promise<boolean> {
  const [found] = await database.rows(
    query.selectFrom('reports').select('id').where('sha256', 'is not', null).limit(1),
  );
  return found !== undefined;
}
