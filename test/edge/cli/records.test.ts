import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import pg from 'pg';
import { sql } from '../../../src/platform/database/index.js';
import { run, start, temporaryDirectory } from '../../app/gateway-process.js';
import { seedAsset } from '../../kit/ledger/confidential-records.js';
import { eventually } from '../../kit/eventually.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { describeOnPostgresql } from '../../kit/database/on-postgresql.js';
import { seedOrganization, testFoundation } from '../../kit/seed.js';

const serverUrl = process.env['DATABASE_URL'] ?? '';
const RECORDS = 6;
const DAY = '2025-01-11';
const PART = 'transactions_before_2025_01_11';

/** A database with old records, its command, and names that no other database of the server uses. */
async function openRecords(parts: AsyncDisposableStack) {
  const name = `lucarne_test_${randomBytes(8).toString('hex')}`;
  const administer = async (...statements: string[]) => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };
  // A directory that the server creates, because the test may run on another machine.
  await administer(`set allow_in_place_tablespaces = on`, `create tablespace ${name} location ''`);
  parts.defer(() => administer(`drop tablespace ${name}`, `drop role if exists ${name}`));
  const database = parts.use(await createTestDatabase());
  const foundation = testFoundation(database);
  const { organization } = await seedOrganization(foundation, { name: 'Acme' });
  const { id: assetId } = await seedAsset(foundation, organization.id);
  let seeded = 0;
  const seed = async (count: number) => {
    await database.rows(sql`
      insert into transactions (id, asset_id, position, signature, path, type, slot, block_time, signer,
        public_data, ciphertexts, indexed_at)
      select 'record-' || n, ${assetId}, n, 'signature' || n, '{0}', 'confidential_deposit', n, n, 'signer', '{}', '{}',
        '2025-01-01T00:00:00Z' from generate_series(${seeded}::integer + 1, ${seeded + count}::integer) as n`);
    seeded += count;
  };
  await seed(RECORDS);
  const directory = parts.use(await temporaryDirectory());
  const as = (role?: string) => {
    const url = new URL(database.url!);
    if (role !== undefined) url.username = role;
    const environment = { LUCARNE_DATA_DIR: directory.path, DATABASE_URL: url.href };
    return (...options: string[]) => run(['records', 'move', '--before', DAY, ...options], environment);
  };
  const placeOf = (table: string) =>
    database.rows(sql`
      select reltuples >= 0 as "isVacuumed", spcname::text as tablespace from pg_class
      left join pg_tablespace on pg_tablespace.oid = reltablespace where pg_class.oid = ${table}::regclass`);
  const environment = { LUCARNE_DATA_DIR: directory.path, DATABASE_URL: database.url! };
  const records = (...words: string[]) => run(['records', ...words], environment);
  return { name, database, seed, as, move: as(), placeOf, records, environment, folder: directory.path };
}

describeOnPostgresql('lucarne records move', () => {
  it('moves records, and frees their space', async () => {
    await using parts = new AsyncDisposableStack();
    const { move, placeOf } = await openRecords(parts);
    expect(await placeOf('transactions_live')).toEqual([{ isVacuumed: false, tablespace: null }]);
    expect(await move('--json')).toEqual({ exitCode: 0, errors: '', output: expect.any(String) });
    for (const table of ['transactions_live', PART])
      expect(await placeOf(table)).toEqual([{ isVacuumed: true, tablespace: null }]);
    expect(await move()).toMatchObject({ exitCode: 0, errors: '' });
  }, 480_000);

  it('rests after its work as long as the pace demands', async () => {
    await using parts = new AsyncDisposableStack();
    const { database, environment, seed, move } = await openRecords(parts);
    await move();
    await seed(1);
    const released = Promise.withResolvers<undefined>();
    // The batch waits for a record for two seconds, of which one is free: the rest takes 50 seconds.
    const reader = database.transaction(async (transaction) => {
      await transaction.rows(sql`select id from transactions where part = 0 for update`);
      await released.promise;
    });
    const moving = parts.use(start(['records', 'move', '--before', DAY, '--pace', '2'], environment));
    await eventually(
      () =>
        database.rows(sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
      (waiting) => waiting.length === 1,
    );
    await pause(2_000);
    released.resolve(undefined);
    await reader;
    await eventually(
      () => database.rows(sql`select id from transactions where part <> 0`),
      (moved) => moved.length === RECORDS + 1,
    );
    expect(await Promise.race([moving.ended, pause(2_000, 'resting')])).toBe('resting');
  }, 480_000);

  it('creates the part with its indexes in a tablespace, and explains what to do if it cannot', async () => {
    await using parts = new AsyncDisposableStack();
    const { name, database, as, move, placeOf } = await openRecords(parts);
    expect(await move('--tablespace', 'nowhere')).toEqual({
      exitCode: 2,
      output: '',
      errors: "The database has no tablespace “nowhere”. Create it first: create tablespace … location '…'\n",
    });
    expect(await move('--tablespace', 'pg_global')).toMatchObject({
      exitCode: 2,
      errors: expect.stringMatching(/^The tablespace “pg_global” [^\n]*\.\n$/),
    });
    // A role that owns the tables but may not use the tablespace.
    await database.rows(sql.raw(`create role ${name} login`));
    await database.rows(sql.raw(`grant all on all tables in schema public to ${name}`));
    await database.rows(sql.raw(`grant create on schema public to ${name}`));
    for (const table of ['transactions', 'transactions_live'])
      await database.rows(sql.raw(`alter table ${table} owner to ${name}`));
    expect(await as(name)('--tablespace', name)).toEqual({
      exitCode: 1,
      output: '',
      errors: `The role ${name} may not use the tablespace “${name}”. Allow it: grant create on tablespace ${name} to ${name}\n`,
    });
    await database.rows(sql.raw(`grant create on tablespace ${name} to ${name}`));
    expect(await as(name)('--tablespace', name, '--json')).toEqual({
      exitCode: 0,
      errors: '',
      output: `{\n  "moved": ${RECORDS}\n}\n`,
    });
    expect(await placeOf(PART)).toEqual([{ isVacuumed: true, tablespace: name }]);
    expect(await placeOf(`${PART}_pkey`)).toMatchObject([{ tablespace: name }]);
    // Objects that are already in another tablespace are not created again.
    expect(await move('--tablespace', 'pg_default')).toEqual({
      exitCode: 1,
      output: '',
      errors: `The part ${PART} is already in the tablespace “${name}”. Move records without --tablespace.\n`,
    });
    await database.rows(sql.raw(`drop owned by ${name}`));
  }, 480_000);
});

describeOnPostgresql('lucarne records archive and attach', () => {
  it('move a part to a file, show it, and restore it', async () => {
    await using parts = new AsyncDisposableStack();
    const { name, database, records, placeOf, move, folder } = await openRecords(parts);
    const file = path.join(folder, 'old.jsonl.gz');
    const archive = (...options: string[]) => records('archive', '--before', DAY, '--to', file, ...options);
    expect(await archive()).toEqual({
      exitCode: 1,
      output: '',
      errors:
        'There is no part of records that were indexed before 2025-01-11. `lucarne records parts` lists them.\n',
    });
    await move();
    expect(await records('archive', '--before', DAY, '--to', path.join(folder, 'absent', 'file'))).toEqual({
      exitCode: 1,
      output: '',
      errors: expect.stringMatching(/^The file cannot be used: ENOENT[^\n]*\.\n$/),
    });
    const archived = await archive();
    expect(archived).toEqual({
      exitCode: 0,
      errors: '',
      output: expect.stringMatching(
        /^transactions_before_2025_01_11: indexed before 2025-01-11, 6 records, in cold storage as old\.jsonl\.gz, SHA-256 [0-9a-f]{64}\.\n$/,
      ),
    });
    const { output } = await records('parts');
    expect(output).toMatch(`${archived.output}transactions_live: new records, about 0 records, `);
    expect(await database.rows(sql`select id from transactions`)).toEqual([]);
    const attached = await records('attach', file, '--tablespace', name);
    expect(attached).toEqual({
      exitCode: 0,
      errors: '',
      output: 'Attached 6 records that were indexed before 2025-01-11.\n',
    });
    expect(await placeOf(PART)).toEqual([{ isVacuumed: true, tablespace: name }]);
    expect(await database.rows(sql`select id from transactions`)).toHaveLength(RECORDS);
    expect(await records('attach', file)).toMatchObject({ output: 'The part is already attached.\n' });
  }, 480_000);
});
