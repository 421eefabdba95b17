import { afterAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  connectDatabase,
  excessivePrivileges,
  grantServing,
  sql,
  type Transaction,
} from '../../../src/platform/database/index.js';
import { APPEND_ONLY_TABLES, KEPT_TABLES } from '../../../src/platform/database/serving-role.js';
import { lockKeysIfSame } from '../../../src/platform/keys/rotation/lock-keys.js';
import { entities } from '../../../src/app/storage/entities.js';
import { seedAsset } from '../../kit/ledger/confidential-records.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { forFile } from '../../kit/for-file.js';
import { seedOrganization, testFoundation } from '../../kit/seed.js';

const ROLE = `lucarne_serve_${randomBytes(6).toString('hex')}`;

const database = forFile(await createTestDatabase());
await database.rows(sql`create role ${sql.id(ROLE)} login`);
await database.transaction((transaction) => grantServing(transaction, ROLE));

describe('the serving role', () => {
  afterAll(async () => {
    await database.transaction(async (transaction) => {
      await transaction.rows(sql`drop owned by ${sql.id(ROLE)}`);
      await transaction.rows(sql`drop role ${sql.id(ROLE)}`);
    });
  });

  const serving = <Result>(work: (transaction: Transaction) => Promise<Result>) =>
    database.transaction(async (transaction) => {
      await transaction.rows(sql`set local role ${sql.id(ROLE)}`);
      return work(transaction);
    });
  const attempt = (statement: string) => serving((transaction) => transaction.rows(sql.raw(statement)));

  it('is tested against every table that triggers make append-only', async () => {
    const kept = await database.rows(
      sql<{ name: string }>`select distinct tgrelid::regclass::text as name from pg_trigger
        where not tgisinternal and tgfoid::regproc::text like '%refuse%'`,
    );
    expect(kept.length).toBeGreaterThan(5);
    expect(
      kept
        .map(({ name }) => name)
        .filter((name) => !(APPEND_ONLY_TABLES as readonly string[]).includes(name)),
    ).toEqual([]);
  });

  it('may delete whatever a gateway statement deletes', async () => {
    const source = path.resolve(import.meta.dirname, '../../../src');
    const files = (await readdir(source, { recursive: true })).filter(
      (file) => file.endsWith('.ts') && !file.includes('migrations'),
    );
    const deleted = new Set<string>();
    for (const file of files) {
      const text = await readFile(path.join(source, file), 'utf8');
      for (const [, table = ''] of text.matchAll(/(?:deleteFrom\('|delete from )([a-z_]+)/g))
        deleted.add(table);
      // A name that is not in the source cannot be compared.
      expect({ file, unnamed: /deleteFrom\((?!')/.exec(text)?.[0] }).toEqual({ file, unnamed: undefined });
    }
    expect(deleted.size).toBeGreaterThan(10);
    const refused = [...deleted].filter((table) => KEPT_TABLES.includes(table));
    expect(refused).toEqual([]);
  });

  it.each(APPEND_ONLY_TABLES)('cannot update or truncate %s', async (table) => {
    const [column] = await database.rows(
      sql<{ name: string }>`select column_name::text as name from information_schema.columns
        where table_name = ${table} limit 1`,
    );
    await expect(attempt(`update ${table} set ${column!.name} = ${column!.name}`)).rejects.toThrow(
      /permission denied/,
    );
    await expect(attempt(`truncate ${table}`)).rejects.toThrow(/permission denied/);
  });

  it.each(['receipts', 'reports', 'transactions', 'log_checkpoints', 'activity_entries', 'cases', 'users'])(
    'deletes nothing of %s',
    async (table) => {
      await expect(attempt(`delete from ${table}`)).rejects.toThrow(/permission denied/);
    },
  );

  it('locks the keys, so that a gateway creates those of a new purpose when it starts', async () => {
    expect(await serving((transaction) => lockKeysIfSame(transaction, { version: 1, dataKeys: [] }))).toBe(
      false,
    );
  });

  it('sets the index of a log entry and erases its salts, but cannot change what was signed', async () => {
    await attempt('update activity_entries set log_index = log_index, salts = salts');
    await expect(attempt('update activity_entries set entry = entry')).rejects.toThrow(/permission denied/);
    await expect(attempt('update activity_entries set leaf_hash = leaf_hash')).rejects.toThrow(
      /permission denied/,
    );
  });

  it.each([
    'alter table reports disable trigger all',
    'alter table reports add column more text',
    'drop table reports',
    'drop function refuse_change() cascade',
    'create or replace function refuse_change() returns trigger language plpgsql as $$begin return old; end$$',
    'set local session_replication_role = replica',
    'create table more (id text)',
    'delete from mikro_orm_migrations',
    `grant update on reports to ${ROLE}`,
  ])('cannot “%s”', async (statement) => {
    const refused = attempt(statement).then(async () => {
      // In PostgreSQL, granting a privilege that the grantor does not have is only a warning.
      await attempt('update reports set id = id');
    });
    await expect(refused).rejects.toThrow(/permission denied|must be owner/);
  });

  describe('used by an attacker who took over the process', () => {
    const IMPOSTORS = {
      relay_requests: `create temporary table relay_requests on commit drop as
        select 'rly_x' as id, null::bytea as sealed_package, 'rejected' as status, now() - interval '2 days' as updated_at`,
      idempotency_keys: `create temporary table idempotency_keys on commit drop as
        select now() - interval '2 days' as created_at`,
    };

    it.each([
      ['forget_refused_relays', 'relay_requests', ''],
      ['forget_refused_relays', 'relay_requests', '10'],
      ['forget_expired_idempotency_keys', 'idempotency_keys', ''],
    ] as const)(
      'runs nothing as the owner of the tables by “%s” and a temporary table %s (%s)',
      async (name, table, argument) => {
        const ran = await serving(async (transaction) => {
          const run = (statement: string) => transaction.rows(sql.raw(statement));
          await run(IMPOSTORS[table]);
          await run(`create or replace function pg_temp.${name}_as_owner() returns trigger language plpgsql as $$
            begin perform set_config('test.ran_as', current_user, false); return old; end $$`);
          await run(
            `create trigger impostor before delete on ${table} for each row execute function pg_temp.${name}_as_owner()`,
          );
          await run(`select set_config('test.ran_as', '', false)`);
          await run(`select ${name}(${argument})`);
          const [row] = await transaction.rows(
            sql<{ ranAs: string }>`select current_setting('test.ran_as') as "ranAs"`,
          );
          return row!.ranAs;
        });
        expect(ran).toBe('');
      },
    );

    it('cannot delete a piece of a finished report, for any organization', async () => {
      const organization = await seedOrganization(testFoundation(database), { name: 'Reported' });
      await database.rows(sql`insert into report_chunks values ('content', 0, '')`);
      await database.rows(sql`insert into report_files
        values (${organization.organization.id}, sha256(''), 'content', 0, now())`);
      for (const scope of ['', 'org_00000000000000000000000000', '*']) {
        const removed = serving(async (transaction) => {
          await transaction.rows(sql`select set_config('lucarne.acting_for', ${scope}, true)`);
          return transaction.rows(sql`delete from report_chunks where content_id = 'content'`);
        });
        await expect(removed).rejects.toThrow('The pieces of a report never change.');
      }
    });

    it('cannot replace a disclosed result', async () => {
      const { organization } = await seedOrganization(testFoundation(database), { name: 'Disclosed' });
      const seeded = await seedAsset(testFoundation(database), organization.id);
      await database.rows(sql`insert into disclosures (id, organization_id, asset_id, purpose, scope, format, status,
          requested_by, requested_at, sealed_result)
        values ('dsc_x', ${organization.id}, ${seeded.id}, 'Audit', '{}', 'json', 'available', 'key_x', now(), 'made')`);
      const overwrite = sql`update disclosures set sealed_result = 'other' where id = 'dsc_x'`;
      const overwritten = serving(async (transaction) => {
        await transaction.rows(sql`select set_config('lucarne.acting_for', '*', true)`);
        return transaction.rows(overwrite);
      });
      await expect(overwritten).rejects.toThrow('The result of a disclosure never changes');
      // The owner of the tables reseals it.
      await database.rows(overwrite);
    });

    it('can call no function whose tables it can replace', async () => {
      const functions = await database.rows(
        sql<{ name: string; path: string | null }>`select proname::text as name,
          (select option from unnest(proconfig) as option where option like 'search_path=%') as path
          from pg_proc where pronamespace = current_schema()::regnamespace order by proname`,
      );
      expect(functions.length).toBeGreaterThan(3);
      for (const { name, path: searchPath } of functions)
        expect({ name, searchPath }).toEqual({ name, searchPath: 'search_path=public, pg_temp' });
    });

    it('cannot delete a relay event with a temporary table that claims a refusal', async () => {
      await database.rows(sql`insert into relay_requests (id, pool_selector, program_id, package_digest, status, sequence,
        next_look_at, created_at, updated_at) values ('rly_x', 'pool', 'program', sha256(''), 'accepted', 1, now(), now(), now())`);
      await database.rows(sql`insert into relay_events (request_id, sequence, status, evidence, created_at)
        values ('rly_x', 1, 'accepted', '{}', now())`);
      const removed = serving(async (transaction) => {
        await transaction.rows(sql.raw(IMPOSTORS.relay_requests));
        return transaction.rows(sql`delete from relay_events`);
      });
      await expect(removed).rejects.toThrow('relay_events is append-only');
    });
  });

  it('is distinguished from the owner of the tables, who has too many privileges', async () => {
    expect(await serving(excessivePrivileges)).toEqual([]);
    expect(await excessivePrivileges(database)).toEqual(['it is a superuser']);
  });

  it('is refused as too privileged because of grants to its groups or to everyone', async () => {
    const grants = [
      'update on activity_entries',
      'delete on cases',
      'insert, truncate on mikro_orm_migrations',
      'select on transactions_live',
      'create on schema public',
    ];
    for (const grant of grants) await database.rows(sql.raw(`grant ${grant} to public`));
    const found = await serving(excessivePrivileges);
    for (const grant of grants) await database.rows(sql.raw(`revoke ${grant} from public`));
    expect(found).toEqual([
      'it can create tables and functions in the schema',
      'it can update activity_entries',
      'it can delete cases',
      'it can insert, truncate mikro_orm_migrations',
      'it can select transactions_live',
    ]);
    expect(await serving(excessivePrivileges)).toEqual([]);
  });

  it('is refused as too privileged because of column grants', async () => {
    const grants = [
      'update (entry, salts) on activity_entries',
      'update (note) on log_checkpoints',
      'insert (name) on mikro_orm_migrations',
      'select (id) on transactions_live',
    ];
    for (const grant of grants) await database.rows(sql.raw(`grant ${grant} to public`));
    const found = await serving(excessivePrivileges);
    for (const grant of grants) await database.rows(sql.raw(`revoke ${grant} from public`));
    expect(found).toEqual([
      'it can update (entry) activity_entries',
      'it can update (note) log_checkpoints',
      'it can insert (name) mikro_orm_migrations',
      'it can select (id) transactions_live',
    ]);
    expect(await serving(excessivePrivileges)).toEqual([]);
  });

  it('is refused if it is unknown, or owns the tables anyway', async () => {
    const grant = (role: string) => database.transaction((transaction) => grantServing(transaction, role));
    await expect(grant('no_such_role')).rejects.toThrow(/has no role “no_such_role”\. Create it first/);
    const [{ owner } = { owner: '' }] = await database.rows(
      sql<{ owner: string }>`select current_user::text as owner`,
    );
    await expect(grant(owner)).rejects.toThrow(
      /owns the tables, is a superuser or bypasses row-level security/,
    );
  });

  it('needs no migration privilege if nothing is pending', async () => {
    if (database.url === undefined) return;
    const url = new URL(database.url);
    url.username = ROLE;
    await using own = await connectDatabase({ entities, target: { url: url.href } });
    expect(await own.pendingMigrations()).toEqual([]);
    expect(await excessivePrivileges(own)).toEqual([]);
    await expect(own.rows(sql`update reports set id = id`)).rejects.toThrow(/permission denied/);
  });
});
