import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, sql } from '../../../../src/platform/database/index.js';
import { createEmptyDatabase } from '../../../kit/database/database.js';
import { migrateBefore } from '../../../kit/database/migrations.js';

const MIGRATION = '0033-filters';
const RELAY = 'rly_00000000000000000000000001';

describe('the migration that adds filters for relays and log entries', () => {
  let empty: Awaited<ReturnType<typeof createEmptyDatabase>>;
  let database: Database;

  beforeAll(async () => {
    empty = await createEmptyDatabase();
    [database] = (await empty.open(1)) as [Database];
    await migrateBefore(database, MIGRATION);
    for (const [organization, applications] of [
      ['one', ['app_sole']],
      ['two', ['app_first', 'app_second']],
    ] as const) {
      await database.rows(
        sql`insert into organizations (id, name, created_at) values (${organization}, ${organization}, now())`,
      );
      for (const application of applications)
        await database.rows(sql`
          insert into applications (id, organization_id, foreign_id, name, check_application_id, created_at)
          values (${application}, ${organization}, ${application}, ${application}, ${application}, now())`);
    }
    await database.rows(sql`
      insert into relay_requests (id, pool_selector, program_id, package_digest, status, reason, sequence, created_at,
        updated_at)
      values (${RELAY}, 'pool', 'program', ${Buffer.alloc(32)}, 'rejected', 'invalid_proof', 1, now(), now())`);
    for (const organization of ['one', 'two'])
      await database.rows(sql`
        insert into relay_organizations (organization_id, request_id, accepted_at, pool_selector, status)
        values (${organization}, ${RELAY}, '2026-01-01T00:00:00Z', 'pool', 'rejected')`);
    for (const [id, object] of [
      ['log_asset', { type: 'asset', id: 'ast_1' }],
      ['log_member', { user_id: 'usr_1' }],
      ['log_session', { session_id: 'ses_1', user_id: 'usr_1' }],
      ['log_none', { operation: 'createApiKey' }],
    ] as const)
      await database.rows(sql`
        insert into activity_entries (id, organization_id, event_type, actor_id, entry, leaf_hash, salts, created_at)
        values (${id}, 'one', 'asset.created', 'usr_9', ${JSON.stringify({ object })}::jsonb, ${Buffer.alloc(32)}, '{}',
          now())`);
    await database.migrate(MIGRATION);
  }, 60_000);
  afterAll(async () => empty[Symbol.asyncDispose]());

  it('sets the application of earlier relays if the organization has only one', async () => {
    expect(
      await database.rows(sql`
        select application_id as application, organization_id as organization, request_id as relay
        from relay_applications`),
    ).toEqual([{ application: 'app_sole', organization: 'one', relay: RELAY }]);
  });

  it('sets the object of earlier log entries', async () => {
    expect(
      await database.rows(sql`select id, object_id as object from activity_entries order by id`),
    ).toEqual([
      { id: 'log_asset', object: 'ast_1' },
      { id: 'log_member', object: 'usr_1' },
      { id: 'log_none', object: null },
      { id: 'log_session', object: 'ses_1' },
    ]);
  });
});
