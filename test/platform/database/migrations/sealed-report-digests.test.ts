import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  contentKeyOf,
  digestOf,
  hasDigestsInClear,
  sealDigestsInClear,
} from '../../../../src/domain/reports/report-digest.js';
import { createSealer } from '../../../../src/platform/crypto/index.js';
import { type Database, sql } from '../../../../src/platform/database/index.js';
import type { Id } from '../../../../src/platform/kernel/ids.js';
import { createEmptyDatabase } from '../../../kit/database/database.js';
import { migrateBefore } from '../../../kit/database/migrations.js';

const MIGRATION = '0052-sealed-report-digests';
const DIGEST = Buffer.alloc(32, 'of the file');
const SALT = Buffer.alloc(16, 'salt');
const ONE = 'one' as Id<'org'>;

describe('the migration that encrypts the digests of reports', () => {
  const sealer = createSealer(Buffer.alloc(32, 'key'));
  let empty: Awaited<ReturnType<typeof createEmptyDatabase>>;
  let database: Database;

  /** As an instance of the previous version stores it. */
  const storeReport = (id: string) =>
    database.rows(sql`
      insert into reports (id, organization_id, report_type, format, record_count, sha256, digest_salt, generated_by,
        generated_at, log_entry_id)
      values (${id}, 'one', 'activity_log', 'csv', 1, ${DIGEST}, ${SALT}, 'usr_1', now(), 'log_1')`);
  const storeFile = (contentId: string) =>
    database.rows(sql`
      insert into report_files (organization_id, sha256, content_id, size_bytes, created_at)
      values ('one', ${DIGEST}, ${contentId}, 1, now()) on conflict (organization_id, sha256) do nothing
      returning content_id`);
  const readReports = () =>
    database.rows(sql<{
      id: Id<'rpt'>;
      contentId: string;
      sealedDigest: Uint8Array | null;
      sha256: Uint8Array | null;
      digestSalt: Uint8Array | null;
    }>`select id, content_id as "contentId", sealed_digest as "sealedDigest", sha256, digest_salt as "digestSalt"
      from reports order by id`);

  beforeAll(async () => {
    empty = await createEmptyDatabase();
    [database] = (await empty.open(1)) as [Database];
    await migrateBefore(database, MIGRATION);
    await database.rows(sql`insert into organizations (id, name, created_at) values ('one', 'One', now())`);
    await database.rows(
      sql`insert into users (id, email, name, created_at, organization_id) values ('usr_1', 'a@b.test', 'Ann', now(), 'one')`,
    );
    await database.rows(sql`
      insert into activity_entries (id, organization_id, event_type, actor_id, entry, leaf_hash, salts, created_at)
      values ('log_1', 'one', 'report.generated', 'usr_1', '{}', ${Buffer.alloc(32)}, '{}', now())`);
    await storeFile('first');
    await storeReport('first');
    await storeReport('same');
    await database.migrate(MIGRATION);
  }, 60_000);
  afterAll(async () => empty[Symbol.asyncDispose]());

  it('identifies the content of each report, and lets an instance of the previous version store more', async () => {
    expect(await storeFile('later')).toEqual([]);
    await storeReport('later');
    const reports = await readReports();
    expect(reports.map(({ id, contentId }) => [id, contentId])).toEqual([
      ['first', 'first'],
      ['later', 'first'],
      ['same', 'first'],
    ]);
    for (const report of reports)
      expect(digestOf(sealer, report)).toEqual({
        digest: new Uint8Array(DIGEST),
        salt: new Uint8Array(SALT),
      });
  });

  it('leaves them in plaintext until they are encrypted, once', async () => {
    expect(await hasDigestsInClear(database)).toBe(true);
    await sealDigestsInClear(database, sealer);
    expect(await hasDigestsInClear(database)).toBe(false);
    await sealDigestsInClear(database, sealer);
    for (const report of await readReports()) {
      expect(report).toMatchObject({ sha256: null, digestSalt: null });
      const { digest, salt } = digestOf(sealer, report);
      expect([Buffer.from(digest), Buffer.from(salt)]).toEqual([DIGEST, SALT]);
    }
    const [file] = await database.rows(
      sql<{ sha256: null; key: Uint8Array }>`select sha256, content_key as key from report_files`,
    );
    expect(file!.sha256).toBeNull();
    expect(Buffer.from(file!.key)).toEqual(Buffer.from(contentKeyOf(sealer, ONE, DIGEST)));
  });

  it.each([
    [
      'a digest in the clear again',
      sql`update reports set sealed_digest = null, sha256 = ${DIGEST}, digest_salt = ${SALT}`,
    ],
    ['another length of a digest', sql`update reports set sealed_digest = sealed_digest || '\\x00'`],
    ['another content', sql`update reports set content_id = 'other'`],
    ['a file in the clear again', sql`update report_files set sha256 = ${DIGEST}`],
    ['another key of a file', sql`update report_files set content_key = ${DIGEST}`],
    ['no report', sql`delete from reports`],
  ])('takes no change after that: %s', async (_, statement) => {
    await expect(database.rows(statement)).rejects.toThrow('never change');
  });
});
