import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, sql } from '../../../../src/platform/database/index.js';
import { createEmptyDatabase } from '../../../kit/database/database.js';
import { migrateBefore } from '../../../kit/database/migrations.js';

const MIGRATION = '0039-retention';

describe('the migration that lets organizations delete old data', () => {
  let empty: Awaited<ReturnType<typeof createEmptyDatabase>>;
  let database: Database;

  beforeAll(async () => {
    empty = await createEmptyDatabase();
    [database] = (await empty.open(1)) as [Database];
    await migrateBefore(database, MIGRATION);
    const run = (statement: ReturnType<typeof sql>) => database.rows(statement);
    await run(sql`insert into organizations (id, name, created_at) values ('one', 'One', now())`);
    await run(
      sql`insert into users (id, email, name, created_at, organization_id) values ('usr_1', 'a@b.test', 'Ann', now(), 'one')`,
    );
    await run(sql`
      insert into activity_entries (id, organization_id, event_type, actor_id, entry, leaf_hash, salts, created_at)
      values ('log_1', 'one', 'report.generated', 'usr_1', '{}', ${Buffer.alloc(32)}, '{"/user": {}}',
        now() - interval '12 years')`);
    for (const [id, years] of [
      ['old', 12],
      ['new', 1],
    ] as const) {
      const digest = Buffer.alloc(32, id);
      await run(sql`
        insert into report_files (organization_id, sha256, content_id, size_bytes, created_at)
        values ('one', ${digest}, ${id}, 1, now() - make_interval(years => ${years}))`);
      await run(
        sql`insert into report_chunks (content_id, chunk_index, sealed_bytes) values (${id}, 0, ${digest})`,
      );
      await run(sql`
        insert into reports (id, organization_id, report_type, format, record_count, sha256, digest_salt, generated_by,
          generated_at, log_entry_id)
        values (${id}, 'one', 'activity_log', 'csv', 1, ${digest}, ${Buffer.alloc(16)}, 'usr_1',
          now() - make_interval(years => ${years}), 'log_1')`);
    }
    await run(sql`
      insert into proposed_operations (organization_id, operation, input_digest, input, proposed_by, proposed_at, expires_at)
      values ('one', 'rotateSigningKey', ${Buffer.alloc(32)}, '{}', 'usr_1', now(), now())`);
    await database.migrate(MIGRATION);
  }, 60_000);
  afterAll(async () => empty[Symbol.asyncDispose]());

  const remove = (id: string) =>
    database.rows(sql`delete from report_files where content_id = ${id} returning content_id`);

  it('keeps every row, and pending proposals', async () => {
    const [row] = await database.rows(sql`
      select (select count(*)::integer from reports) as reports, (select count(*)::integer from report_chunks) as chunks,
        (select count(*)::integer from proposed_operations) as proposals,
        (select count(*)::integer from activity_entries where salts <> '{}') as named`);
    expect(row).toEqual({ reports: 2, chunks: 2, proposals: 1, named: 1 });
  });

  it('lets an old file of an earlier version be deleted, but no young one', async () => {
    await expect(remove('new')).rejects.toThrow(/kept for at least 5 years/);
    await expect(database.rows(sql`delete from report_chunks where content_id = 'old'`)).rejects.toThrow(
      /never change/,
    );
    expect(await remove('old')).toHaveLength(1);
    await database.rows(sql`delete from report_chunks where content_id = 'old'`);
    expect(await database.rows(sql`select id from reports order by id`)).toEqual([
      { id: 'new' },
      { id: 'old' },
    ]);
  });
});
