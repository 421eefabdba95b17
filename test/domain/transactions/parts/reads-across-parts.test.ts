import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { selectCaseTransactions } from '../../../../src/domain/cases/records/select-case-transactions.js';
import { selectRecords } from '../../../../src/domain/disclosures/results/select-records.js';
import {
  archivePart,
  attachPart,
  createTransactionReader,
  listTransactions,
  newestPosition,
  transactionLines,
} from '../../../../src/domain/transactions/index.js';
import { transactionCursors } from '../../../../src/domain/transactions/list-transactions.js';
import { makePart, partOf } from '../../../../src/domain/transactions/parts/parts.js';
import { transactionsAfter } from '../../../../src/domain/transactions/transaction.js';
import { isLucarneError } from '../../../../src/platform/kernel/errors.js';
import { base58 } from '../../../../src/platform/kernel/encoding/bytes.js';
import { type Database, sql } from '../../../../src/platform/database/index.js';
import type { Id } from '../../../../src/platform/kernel/ids.js';
import type { Address } from '../../../../src/platform/ledger/index.js';
import { temporaryDirectory } from '../../../app/gateway-process.js';
import { createTestDatabase } from '../../../kit/database/database.js';
import { fc } from '../../../kit/properties.js';
import { seedAsset } from '../../../kit/ledger/confidential-records.js';
import { type SeededOrganization, seedOrganization, testFoundation } from '../../../kit/seed.js';

const RECORDS = 240;
const BEGIN = Date.UTC(2026, 0, 1);
const ACCOUNTS = [1, 2, 3].map((byte) => base58.encode(new Uint8Array(32).fill(byte)) as Address);
const REFUSED = 'records_archived';
const TYPES = ['confidential_transfer', 'confidential_deposit', 'confidential_burn'] as const;
const signatureOf = (n: number) =>
  base58.encode(new Uint8Array(64).fill(7).map((byte, at) => (at < 4 ? (n >> (at * 8)) & 255 : byte)));

describe('reads across parts', () => {
  let database: Database;
  let acme: SeededOrganization;
  let assetId: Id<'ast'>;
  const ids: string[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    acme = await seedOrganization(testFoundation(database), { name: 'Acme' });
    ({ id: assetId } = await seedAsset(testFoundation(database), acme.organization.id, {
      applicationId: acme.application.id,
    }));
    for (let n = 1; n <= RECORDS; n += 1) ids.push(`txn_${String(n).padStart(26, '0')}`);
    // Block times sometimes decrease, because an old history is found late.
    await database.rows(sql`
      insert into transactions (id, asset_id, position, signature, path, type, slot, block_time, signer,
        source_account, destination_account, public_data, ciphertexts, indexed_at)
      select id, ${assetId}, n, signature, '{0,0,0}', (${[...TYPES]}::text[])[1 + n % 3], n,
        ${BEGIN / 1000}::bigint + (n * 37) % 211, 'signer', (${[...ACCOUNTS]}::text[])[1 + n % 2],
        (${[...ACCOUNTS]}::text[])[1 + n % 3], '{}', '{}', ${new Date(BEGIN)}::timestamptz + n * interval '1 minute'
      from unnest(${ids}::text[], ${ids.map((_, at) => signatureOf(at + 1))}::text[]) with ordinality as one (id, signature, n)`);
  });
  afterAll(async () => database[Symbol.asyncDispose]());

  const position = fc.integer({ min: 0, max: RECORDS + 1 });
  const time = fc.option(position.map((n) => new Date(BEGIN + n * 60_000)));
  const read = fc.record({
    position,
    first: fc.integer({ min: 1, max: 60 }),
    type: fc.option(fc.constantFrom(...TYPES)),
    account: fc.option(fc.constantFrom(...ACCOUNTS)),
    from: time,
    to: time,
  });
  type Read = typeof read extends fc.Arbitrary<infer Value> ? Value : never;

  /** The results of all ways to read records, or the refusal. */
  async function answers({ position: after, first, ...filters }: Read): Promise<unknown[]> {
    const foundation = testFoundation(database);
    const { principal } = acme.apiKey;
    const organizationId = acme.organization.id;
    const { from, to } = filters;
    const period = from && to && from > to ? { from: to, to: from } : { from, to };
    const input = {
      ...{ assetId, first, ...filters, ...period },
      after: transactionCursors(assetId, { ...filters, ...period }).encode(after),
    };
    const reader = createTransactionReader(foundation);
    const known = Math.min(Math.max(after, 1), RECORDS);
    const scope = {
      ...{ organizationId, applicationId: acme.application.id, assetIds: [assetId], references: null },
      period: { from: BEGIN / 1000 + (after % 100), until: BEGIN / 1000 + 200 },
    };
    const { type, account } = filters;
    const disclosed = {
      kind: 'account',
      account: account ?? ACCOUNTS[0]!,
      from: from && new Date(BEGIN + 20_000),
      to: to && new Date(BEGIN + 150_000),
    };
    const ways = [
      () => listTransactions(foundation, principal, input),
      () => transactionLines(foundation).list({ principal }, input, { json: true }),
      () => transactionsAfter(database, organizationId, assetId, after, first),
      () => newestPosition(database, organizationId, assetId),
      () => reader.find(principal, ids[known - 1]!),
      () => reader.find(principal, signatureOf(known)),
      () =>
        selectCaseTransactions(database, scope as never, {
          limit: first,
          ...(type && { type: type }),
        }),
      () =>
        selectRecords(database, {
          organizationId,
          assetId,
          asOfPosition: after,
          scope: disclosed as never,
        }),
    ];
    const made: unknown[] = [];
    for (const way of ways) made.push(await (way() as Promise<unknown>).catch(refusalOf));
    return made;
  }
  function refusalOf(thrown: unknown): string {
    if (!isLucarneError(thrown) || thrown.reason !== REFUSED) throw thrown;
    expect(thrown.code).toBe('CONFLICT');
    expect(thrown.message).toMatch(
      /^(Records that were indexed before \d{4}-\d\d-\d\d|No attached record) [^\n]*\.$/,
    );
    return REFUSED;
  }

  it('return what a single table returns, for any distribution of records, or report that some are in cold storage', async () => {
    const reads = fc.sample(read, 60);
    const whole: unknown[][] = [];
    for (const one of reads) whole.push(await answers(one));
    const pages = whole.map((answer) => (answer as [{ nodes: unknown[] }])[0].nodes.length);
    expect(Math.max(...pages)).toBeGreaterThan(10);
    const days = ['2020-01-01', '2021-01-01', '2022-01-01'].map((day) => new Date(day));
    for (const [index, day] of days.entries()) {
      await makePart(database, day, null);
      // Not at the bounds of parts, because a read may happen while they are moved.
      const last = [61, 120, RECORDS][index]!;
      await database.rows(
        sql`update transactions set part = ${partOf(day)} where part = 0 and position <= ${last}`,
      );
      for (const [at, one] of reads.entries()) expect(await answers(one)).toEqual(whole[at]);
    }
    await using directory = await temporaryDirectory();
    const [first, middle, last] = days as [Date, Date, Date];
    const fileOf = (day: Date) => path.join(directory.path, String(day.getTime()));
    const archive = (day: Date) => archivePart(database, { before: day, file: fileOf(day) });
    const attach = (day: Date) => attachPart(database, { file: fileOf(day), tablespace: null });
    // The middle one alone, the first two, all, and all except the middle one.
    for (const step of [
      () => archive(middle),
      () => archive(first),
      () => archive(last),
      () => attach(middle),
    ]) {
      await step();
      const counts = { answered: 0, refused: 0 };
      for (const [at, one] of reads.entries())
        for (const [way, answer] of (await answers(one)).entries()) {
          counts[answer === REFUSED ? 'refused' : 'answered'] += 1;
          if (answer !== REFUSED) expect({ way, answer }).toEqual({ way, answer: whole[at]![way] });
        }
      expect(Math.min(counts.answered, counts.refused)).toBeGreaterThan(reads.length / 2);
    }
    for (const day of [first, last]) await attach(day);
    for (const [at, one] of reads.entries()) expect(await answers(one)).toEqual(whole[at]);
  });
});
