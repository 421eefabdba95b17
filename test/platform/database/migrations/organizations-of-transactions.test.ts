import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, sql } from '../../../../src/platform/database/index.js';
import { createEmptyDatabase } from '../../../kit/database/database.js';
import { migrateBefore } from '../../../kit/database/migrations.js';

const MIGRATION = '0030-organizations-of-transactions';
const ORGANIZATIONS = ['acme', 'other'];
const RECORDS = 50;

describe('the migration that adds the organization to records', () => {
  let empty: Awaited<ReturnType<typeof createEmptyDatabase>>;
  let database: Database;
  let before: unknown[];

  beforeAll(async () => {
    empty = await createEmptyDatabase();
    [database] = (await empty.open(1)) as [Database];
    await migrateBefore(database, MIGRATION);
    for (const organization of ORGANIZATIONS) await fill(organization);
    before = await records();
    await database.migrate(MIGRATION);
  }, 60_000);
  afterAll(async () => empty[Symbol.asyncDispose]());

  async function fill(organization: string): Promise<void> {
    const assetId = `ast_${organization}`;
    const key = Buffer.alloc(32, organization);
    await database.rows(
      sql`insert into organizations (id, name, created_at) values (${organization}, ${organization}, now())`,
    );
    await database.rows(sql`
      insert into auditor_keys (organization_id, epoch, public_key, sealed_secret, created_at)
      values (${organization}, 1, ${key}, ${key}, now())`);
    await database.rows(sql`
      insert into assets (id, organization_id, name, symbol, decimals, auditor_public_key, auditor_key_epoch, status,
        created_at, updated_at)
      values (${assetId}, ${organization}, 'Dollar', 'USD', 6, ${key}, 1, 'active', now(), now())`);
    for (let position = 1; position <= RECORDS; position += 1) await write(organization, position);
  }

  /** A record as the version before the migration writes it. */
  const write = (organization: string, position: number) =>
    database.rows(sql`
      insert into transactions (id, asset_id, position, signature, path, type, slot, block_time, signer,
        source_account, destination_account, public_data, ciphertexts, indexed_at)
      values (${`txn_${organization}_${position}`}, ${`ast_${organization}`}, ${position},
        ${`${organization}-${position}`}, '{0,0,0}', 'confidential_transfer', ${position}, ${position}, 'signer',
        'source', 'destination', '{"instructionIndex":0}', '{"auditor":{"lo":"bG8=","hi":"aGk="}}',
        '2026-01-01T00:00:00.123Z')`);

  const records = () =>
    database.rows(sql`select to_jsonb(transactions) as record from transactions order by id`);

  it('keeps every record, and adds the organization of its asset', async () => {
    expect(before).toHaveLength(ORGANIZATIONS.length * RECORDS);
    const expected = (before as { record: { asset_id: string } }[]).map(({ record }) => ({
      record: { ...record, organization_id: record.asset_id.replace('ast_', '') },
    }));
    expect(await records()).toEqual(expected);
  });

  it('lets instances of the previous version write records, which then have their organization', async () => {
    await write('other', RECORDS + 1);
    const [record] = await database.rows(
      sql`select organization_id as organization from transactions where id = ${`txn_other_${RECORDS + 1}`}`,
    );
    expect(record).toEqual({ organization: 'other' });
  });

  it('refuses a record with an organization other than its asset’s', async () => {
    const moved = database.rows(sql`
      insert into transactions select (jsonb_populate_record(transactions,
        '{"id":"txn_moved","organization_id":"acme","position":1000,"signature":"moved"}')).*
      from transactions where id = 'txn_other_1'`);
    await expect(moved).rejects.toThrow('transactions_asset_fkey');
  });
});
