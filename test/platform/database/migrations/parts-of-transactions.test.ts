import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { type Database, sql } from '../../../../src/platform/database/index.js';
import { createEmptyDatabase } from '../../../kit/database/database.js';
import { migrateBefore } from '../../../kit/database/migrations.js';

const MIGRATION = '0046-parts-of-transactions';
const RECORDS = 50;
const ROLE = `lucarne_parts_${randomBytes(6).toString('hex')}`;

describe('the migration that partitions records', () => {
  let empty: Awaited<ReturnType<typeof createEmptyDatabase>>;
  let database: Database;
  let before: unknown[];
  let fileBefore: unknown[];

  beforeAll(async () => {
    empty = await createEmptyDatabase();
    [database] = (await empty.open(1)) as [Database];
    await migrateBefore(database, MIGRATION);
    const key = Buffer.alloc(32);
    await database.rows(sql`insert into organizations (id, name, created_at) values ('acme', 'acme', now())`);
    await database.rows(sql`
      insert into auditor_keys (organization_id, epoch, public_key, sealed_secret, created_at)
      values ('acme', 1, ${key}, ${key}, now())`);
    await database.rows(sql`
      insert into assets (id, organization_id, name, symbol, decimals, auditor_public_key, auditor_key_epoch, status,
        created_at, updated_at)
      values ('ast_acme', 'acme', 'Dollar', 'USD', 6, ${key}, 1, 'active', now(), now())`);
    for (let position = 1; position <= RECORDS; position += 1) await write(position);
    await database.rows(sql`create role ${sql.id(ROLE)}`);
    await database.rows(sql`grant select, insert on transactions to ${sql.id(ROLE)}`);
    before = await records();
    fileBefore = await database.rows(sql`select pg_relation_filenode('transactions') as file`);
    await database.migrate(MIGRATION);
  }, 60_000);
  afterAll(async () => {
    await database.rows(sql`drop owned by ${sql.id(ROLE)}`);
    await database.rows(sql`drop role ${sql.id(ROLE)}`);
    await empty[Symbol.asyncDispose]();
  });

  /** A record as the version before the migration writes it. */
  const write = (position: number) =>
    database.rows(sql`
      insert into transactions (id, asset_id, position, signature, path, type, slot, block_time, signer,
        source_account, destination_account, public_data, ciphertexts, indexed_at)
      values (${`txn_${position}`}, 'ast_acme', ${position}, ${`signature-${position}`}, '{0,0,0}',
        'confidential_transfer', ${position}, ${position}, 'signer', 'source', 'destination',
        '{"instructionIndex":0}', '{"auditor":{"lo":"bG8=","hi":"aGk="}}', '2026-01-01T00:00:00.123Z')`);
  const records = () =>
    database.rows(
      sql<{ record: object }>`select to_jsonb(transactions) as record from transactions order by position`,
    );

  it('keeps every record unchanged, in the same file', async () => {
    expect(before).toHaveLength(RECORDS);
    const expected = (before as { record: object }[]).map(({ record }) => ({
      record: { ...record, part: 0 },
    }));
    expect(await records()).toEqual(expected);
    expect(await database.rows(sql`select pg_relation_filenode('transactions_live') as file`)).toEqual(
      fileBefore,
    );
  });

  it('lets instances of the previous version write records, once each and with their organization', async () => {
    await write(RECORDS + 1);
    expect(await records()).toHaveLength(RECORDS + 1);
    await expect(write(RECORDS + 1)).rejects.toThrow(/unique/);
    const [record] = await database.rows(
      sql`select organization_id as organization from transactions where position = ${RECORDS + 1}`,
    );
    expect(record).toEqual({ organization: 'acme' });
  });

  it('preserves the serving role’s privileges on the table, and gives it none on the partitions', async () => {
    const [held] = await database.rows(sql`select
      has_table_privilege(${ROLE}, 'transactions', 'select') and has_table_privilege(${ROLE}, 'transactions', 'insert') as whole,
      has_table_privilege(${ROLE}, 'transactions', 'update, delete, truncate') as more,
      has_table_privilege(${ROLE}, 'transactions_live', 'select, insert, update') as part`);
    expect(held).toEqual({ whole: true, more: false, part: false });
  });
});
