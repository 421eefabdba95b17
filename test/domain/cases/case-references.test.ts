import { expect, it } from '@jest/globals';
import { referencesOf } from '../../../src/domain/cases/records/case-references.js';
import { selectCaseTransactions } from '../../../src/domain/cases/records/select-case-transactions.js';
import { sql } from '../../../src/platform/database/index.js';
import type { Id } from '../../../src/platform/kernel/ids.js';
import { seedAsset } from '../../kit/ledger/confidential-records.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { seedOrganization, testFoundation } from '../../kit/seed.js';
import { seedDeposits } from '../reports/kit.js';

const RECORDS = 40;
const BEGIN = Date.UTC(2026, 0, 1) / 1000;

it('the references of case records are computed once per statement', async () => {
  await using database = await createTestDatabase();
  const foundation = testFoundation(database);
  const { organization, application } = await seedOrganization(foundation, { name: 'Acme' });
  const asset = await seedAsset(foundation, organization.id, { applicationId: application.id });
  await seedDeposits(foundation, asset, RECORDS, BEGIN + RECORDS);
  const scope = {
    ...{ organizationId: organization.id, applicationId: application.id, assetIds: [asset.id] },
    period: { from: BEGIN, until: BEGIN + 1_000 },
    references: referencesOf(foundation.sealer, 'cas_1' as Id<'cas'>),
  };
  // Counts the calls of the only function that just references need, instead of the database's function.
  await database.rows(sql`create sequence hashed`);
  await database.rows(sql`
    create function sha256(bytea) returns bytea language plpgsql immutable as $$
    begin perform nextval('hashed'); return pg_catalog.sha256($1); end $$`);
  const { rows, hashes } = await database.transaction(async (transaction) => {
    await transaction.rows(sql`set local search_path to public, pg_catalog`);
    const first = await selectCaseTransactions(transaction, scope as never, { limit: 10 });
    const more = await selectCaseTransactions(transaction, scope as never, {
      limit: 10,
      after: first.at(-1)!,
    });
    const [{ count } = { count: 0 }] = await transaction.rows(
      sql<{ count: number }>`select last_value::integer as count from hashed`,
    );
    return { rows: [...first, ...more], hashes: count };
  });
  expect(new Set(rows.map(({ reference }) => reference)).size).toBe(20);
  // Two pages of one day; an HMAC hashes twice.
  expect(hashes).toBe(2 * 2 * RECORDS);
});
