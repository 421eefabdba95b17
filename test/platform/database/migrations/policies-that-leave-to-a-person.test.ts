import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, sql } from '../../../../src/platform/database/index.js';
import { createEmptyDatabase } from '../../../kit/database/database.js';
import { migrateBefore } from '../../../kit/database/migrations.js';

const MIGRATION = '0059-policies-that-leave-to-a-person';
const CREATED = '2026-01-02T00:00:00Z';
const BEFORE = '2026-01-01T00:00:00Z';
const AFTER = '2026-01-03T00:00:00Z';

describe('the migration that stores which policy left a disclosure to a person', () => {
  let empty: Awaited<ReturnType<typeof createEmptyDatabase>>;
  let database: Database;

  beforeAll(async () => {
    empty = await createEmptyDatabase();
    [database] = (await empty.open(1)) as [Database];
    await migrateBefore(database, MIGRATION);
    const key = Buffer.alloc(32);
    for (const organization of ['acme', 'other']) {
      await database.rows(
        sql`insert into organizations (id, name, created_at) values (${organization}, ${organization}, now())`,
      );
      await database.rows(sql`
        insert into auditor_keys (organization_id, epoch, public_key, sealed_secret, created_at)
        values (${organization}, 1, ${key}, ${key}, now())`);
    }
    for (const [id, organization, name] of [
      ['dpl_acme', 'acme', 'monthly'],
      ['dpl_other', 'other', 'elsewhere'],
    ] as const)
      await database.rows(sql`
        insert into disclosure_policies (id, organization_id, key, name, rules, created_at)
        values (${id}, ${organization}, ${name}, ${name}, '{}', ${CREATED})`);
    for (const [id, policy] of [
      ['ast_by_key', 'monthly'],
      ['ast_by_id', 'dpl_acme'],
      ['ast_of_other', 'elsewhere'],
      ['ast_without', null],
    ] as const)
      await database.rows(sql`
        insert into assets (id, organization_id, name, symbol, decimals, auditor_public_key, auditor_key_epoch,
          disclosure_policy_id, status, created_at, updated_at)
        values (${id}, 'acme', 'Dollar', 'USD', 6, ${key}, 1, ${policy}, 'active', now(), now())`);
    await write('dsc_by_key', 'ast_by_key', AFTER);
    await write('dsc_by_id', 'ast_by_id', AFTER);
    await write('dsc_before', 'ast_by_key', BEFORE);
    await write('dsc_by_policy', 'ast_by_key', AFTER, 'dpl_acme');
    await write('dsc_of_other', 'ast_of_other', AFTER);
    await write('dsc_without', 'ast_without', AFTER);
    await database.migrate('0063-earlier-policies-that-left-to-a-person');
  }, 60_000);
  afterAll(async () => empty[Symbol.asyncDispose]());

  /** A disclosure as the version before the migration writes it. */
  const write = (id: string, asset: string, at: string, policy: string | null = null) =>
    database.rows(sql`
      insert into disclosures (id, organization_id, asset_id, purpose, scope, format, status, policy_id, requested_by,
        requested_at)
      values (${id}, 'acme', ${asset}, 'Audit', '{}', 'json', 'pending', ${policy}, 'key_1', ${at})`);
  const policies = async () =>
    Object.fromEntries(
      (
        await database.rows(sql<{ id: string; decided: string | null; left: string | null }>`
          select id, policy_id as decided, review_policy_id as left from disclosures`)
      ).map(({ id, decided, left }) => [id, { decided, left }]),
    );

  it('fills it for disclosures that no policy decided, if the policy of the asset existed at the request', async () => {
    const none = { decided: null, left: null };
    expect(await policies()).toEqual({
      dsc_by_key: { decided: null, left: 'dpl_acme' },
      dsc_by_id: { decided: null, left: 'dpl_acme' },
      dsc_before: none,
      dsc_by_policy: { decided: 'dpl_acme', left: null },
      dsc_of_other: none,
      dsc_without: none,
    });
  });

  it('lets instances of the previous version store disclosures', async () => {
    await write('dsc_late', 'ast_by_key', AFTER, 'dpl_acme');
    expect(await policies()).toMatchObject({ dsc_late: { decided: 'dpl_acme', left: null } });
  });
});
