import { afterAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { grantServing, sql } from '../../src/platform/database/index.js';
import type { Id } from '../../src/platform/kernel/ids.js';
import { type SeededOrganization, seedOrganization, openTestFoundation } from '../kit/seed.js';
import { seedThings } from './things/seed-things.js';

/** Tables whose rows belong to no organization, and their contents. A new table needs a policy or a line here. */
const OF_NO_ORGANIZATION: Readonly<Record<string, string>> = {
  accounts: 'persons, who may be members of several organizations',
  archived_keys: 'digests of records in cold storage',
  archived_parts: 'names and digests of files',
  data_keys: 'of the database, wrapped by the master key',
  indexer_workers: 'processes',
  master_keys: 'names of the keys that wrap the data keys',
  mikro_orm_migrations: 'names of migrations',
  passkeys: 'of persons',
  password_resets: 'of persons',
  rate_windows: 'keyed digests',
  recovery_codes: 'of persons',
  relay_attempts: 'relays belong to a pool, whose id is the capability',
  relay_conclusions: 'of relays',
  relay_events: 'of relays',
  relay_nullifiers: 'of relays',
  relay_requests: 'of relays',
  relay_spending: 'keyed digests',
  report_chunks: 'encrypted pieces, which belong to no report before they are all written',
  resealing: 'how far the operator’s reseal has come',
  settings: 'facts about the database',
  sign_in_failures: 'keyed digests',
  used_sign_in_attempts: 'digests',
};

const ROLE = `lucarne_row_security_${randomBytes(6).toString('hex')}`;

const { database, foundation } = await openTestFoundation();
const ours = await seedOrganization(foundation, { name: 'Acme' });
const theirs = await seedOrganization(foundation, { name: 'Other' });
for (const organization of [ours, theirs]) await seedThings(foundation, organization);
await database.rows(sql`create role ${sql.id(ROLE)}`);
await database.transaction((transaction) => grantServing(transaction, ROLE));
const rows = await database.rows(
  sql<{ name: string }>`select tablename::text as name from pg_policies order by tablename`,
);
const policies = rows.map(({ name }) => name);
const partRows = await database.rows(
  sql<{
    name: string;
  }>`select relname::text as name from pg_class where relispartition and relkind = 'r'`,
);
const parts = partRows.map(({ name }) => name);

describe('row-level security', () => {
  /** Parts of tables. Their rows can be accessed only through the table. */
  afterAll(async () => {
    await database.transaction(async (transaction) => {
      await transaction.rows(sql`drop owned by ${sql.id(ROLE)}`);
      await transaction.rows(sql`drop role ${sql.id(ROLE)}`);
    });
  });

  /** Runs a statement without conditions, with the serving role and the scope `scope`. */
  const serve = <Row>(scope: string | undefined, statement: string) =>
    database.transaction(async (transaction) => {
      await transaction.rows(sql`set local role ${sql.id(ROLE)}`);
      if (scope !== undefined)
        await transaction.rows(sql`select set_config('lucarne.acting_for', ${scope}, true)`);
      return transaction.rows(sql.raw<Row>(statement));
    });
  const count = async (scope: string | undefined, table: string) => {
    const [row] = await serve<{ count: number }>(scope, `select count(*)::integer as count from ${table}`);
    return row!.count;
  };
  const idOf = ({ organization }: SeededOrganization): Id<'org'> => organization.id;

  it('protects every table, except those whose rows belong to no organization', async () => {
    const tables = await database.rows(
      sql<{
        name: string;
        guarded: boolean;
      }>`select relname::text as name, relrowsecurity as guarded from pg_class
        where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace order by relname`,
    );
    const unguarded = tables.filter(({ name, guarded }) => !guarded || !policies.includes(name));
    expect(unguarded.map(({ name }) => name)).toEqual(Object.keys(OF_NO_ORGANIZATION));
  });

  it('protects every table with an organization column', async () => {
    const owned = await database.rows(
      sql<{ name: string }>`select table_name::text as name from information_schema.columns
        where table_schema = current_schema() and column_name = 'organization_id'`,
    );
    expect(owned.length).toBeGreaterThan(25);
    expect(owned.map(({ name }) => name).filter((name) => !policies.includes(name))).toEqual([]);
  });

  it('limits a statement without an organization filter to the rows of the caller’s organization, in every table', async () => {
    const shared: string[] = [];
    for (const table of policies.filter((name) => !parts.includes(name))) {
      const all = await count('*', table);
      const own = await count(idOf(ours), table);
      const other = await count(idOf(theirs), table);
      expect({ table, sum: own + other }).toEqual({ table, sum: all });
      expect({ table, nobody: await count(undefined, table) }).toEqual({ table, nobody: 0 });
      expect({ table, empty: await count('', table) }).toEqual({ table, empty: 0 });
      if (own > 0 && other > 0) shared.push(table);
    }
    expect(shared.length).toBeGreaterThan(15);
    expect(shared).toEqual(
      expect.arrayContaining(['assets', 'transactions', 'users', 'disclosures', 'activity_entries']),
    );
  });

  it('applies to the partitions of a table only through the table', async () => {
    expect(parts).toEqual(['transactions_live']);
    for (const part of parts) await expect(count('*', part)).rejects.toThrow(/permission denied/);
  });

  it('shows a batch the rows of exactly the organizations that it names', async () => {
    const [both] = await serve<{ ids: string[] }>(
      `${idOf(ours)},${idOf(theirs)}`,
      'select array(select distinct organization_id from users order by 1) as ids',
    );
    expect(both?.ids).toEqual([idOf(ours), idOf(theirs)].sort());
    const [one] = await serve<{ ids: string[] }>(
      `org_00000000000000000000000000,${idOf(ours)}`,
      'select array(select distinct organization_id from users order by 1) as ids',
    );
    expect(one?.ids).toEqual([idOf(ours)]);
  });

  it('prevents changes and deletions of another organization’s rows', async () => {
    const statements = [
      `update users set name = 'taken over' where organization_id = '${idOf(theirs)}' returning id`,
      `update users set name = name where id <> '' returning organization_id as id`,
      `update cases set reason = 'none' where organization_id = '${idOf(theirs)}' returning id`,
      `delete from permission_grants where organization_id = '${idOf(theirs)}' returning user_id as id`,
    ];
    for (const statement of statements) {
      const rows = await serve<{ id: string }>(idOf(ours), statement);
      expect(rows.filter(({ id }) => id !== idOf(ours))).toEqual([]);
    }
  });

  it('prevents inserts into another organization', async () => {
    await expect(
      serve(
        idOf(ours),
        `insert into applications (id, organization_id, foreign_id, name, check_application_id, created_at)
          values ('app_x', '${idOf(theirs)}', 'x', 'x', 'x', now())`,
      ),
    ).rejects.toThrow(/row-level security/);
    await expect(
      serve(idOf(ours), `update applications set organization_id = '${idOf(theirs)}'`),
    ).rejects.toThrow(/row-level security/);
  });

  it('assigns a record to the organization of its asset, also when the previous version writes it', async () => {
    const insert = (id: string, column: string, value: string) =>
      database.rows(
        sql.raw<{ organizationId: string }>(`insert into transactions
          (id, asset_id, position, signature, path, type, slot, signer, public_data, ciphertexts, indexed_at ${column})
          select '${id}', id, 1000001, 'signature', '{0}', 'confidential_deposit', 1, 'signer', '{}', '{}', now() ${value}
          from assets where organization_id = '${idOf(ours)}' limit 1
          returning organization_id as "organizationId"`),
      );
    await expect(insert('txn_theirs', ', organization_id', `, '${idOf(theirs)}'`)).rejects.toThrow(
      /foreign key/,
    );
    expect(await insert('txn_ours', '', '')).toEqual([{ organizationId: idOf(ours) }]);
    await database.rows(sql`delete from transactions where id = 'txn_ours'`);
  });

  it('needs no further lookups to find the organization of records in a page', async () => {
    const [explained] = await serve<{ 'QUERY PLAN': unknown }>(
      idOf(ours),
      'explain (costs off, format json) select * from transactions',
    );
    expect(JSON.stringify(explained)).not.toContain('"assets"');
  });

  it('costs a statement the same for any number of other organizations’ assets and applications', async () => {
    const many = 5_000;
    await database.rows(sql`insert into applications (id, organization_id, foreign_id, name, check_application_id, created_at)
      select 'app_' || n, ${idOf(theirs)}, 'many ' || n, 'One of many', 'chk_' || n, now()
      from generate_series(1, ${many}::integer) as n`);
    await database.rows(sql`insert into assets (id, organization_id, name, symbol, decimals, auditor_public_key,
        auditor_key_epoch, status, created_at, updated_at)
      select 'ast_' || n, organization_id, name, symbol, decimals, auditor_public_key, auditor_key_epoch, 'pending',
        now(), now()
      from generate_series(1, ${many}::integer) as n,
        (select * from assets where organization_id = ${idOf(theirs)} limit 1) as one`);
    for (const table of ['assets', 'applications', 'transactions', 'application_addresses'])
      await database.rows(sql`analyze ${sql.id(table)}`);
    for (const table of ['transactions', 'indexed_mints', 'followed_addresses', 'application_addresses']) {
      const [explained] = await serve<{ 'QUERY PLAN': unknown }>(
        idOf(ours),
        `explain (analyze, costs off, format json) select * from ${table}`,
      );
      const plan = JSON.stringify(explained!['QUERY PLAN']);
      const removed = [...plan.matchAll(/"Rows Removed by Filter":(\d+)/g)].map(([, rows]) => Number(rows));
      expect({ table, removed: removed.filter((rows) => rows >= many) }).toEqual({ table, removed: [] });
    }
  });
});
