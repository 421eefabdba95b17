import { beforeEach, describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import { assignAsset } from '../../../src/domain/assets/assign-asset.js';
import {
  caseTransactionPages,
  countCaseTransactions,
  scopeOf,
  snapshotOf,
  type CaseTransaction,
} from '../../../src/domain/cases/index.js';
import { selectCaseTransactions } from '../../../src/domain/cases/records/select-case-transactions.js';
import { sql } from '../../../src/platform/database/index.js';
import {
  auditorCiphertexts,
  randomAddress,
  seedAsset,
  seedRecords,
  type SeededAsset,
  type SeededRecord,
} from '../../kit/ledger/confidential-records.js';
import { openTestFoundation } from '../../kit/seed.js';
import { codeOf, EVERY_FLAG, logOf, openOffice, setClock } from './kit.js';

const seconds = (time: string) => Date.parse(time) / 1000;
const IN_PERIOD = seconds('2026-02-14T12:00:00Z');

const deposit = (amount: bigint, blockTime: number | null = IN_PERIOD): SeededRecord => {
  const account = randomAddress();
  return {
    type: 'confidential_deposit',
    blockTime,
    sourceAccount: account,
    destinationAccount: account,
    publicData: { instructionIndex: 0, amount: amount.toString(), authority: randomAddress() },
  };
};
const encrypted = (
  asset: SeededAsset,
  type: SeededRecord['type'],
  amount: bigint,
  blockTime = IN_PERIOD,
): SeededRecord => ({
  type: type!,
  blockTime,
  ciphertexts: auditorCiphertexts(asset.auditorPublicKey, amount),
});

const clock = setClock();
const { database, foundation } = await openTestFoundation(clock);
const office = await openOffice(foundation);

describe('the transactions of a case', () => {
  let asset: SeededAsset;

  beforeEach(async () => {
    asset = await seedAsset(foundation, office.organization.id, { applicationId: office.application.id });
  });

  const openFor = (assets: readonly SeededAsset[] = [asset], disclosureFlags = EVERY_FLAG) =>
    office.open({ assetIds: assets.map(({ id }) => id), disclosureFlags });
  const add = async (records: readonly SeededRecord[], to = asset) =>
    (await seedRecords(foundation, to, records)).map(({ id }) => id);

  it('are those that move value, with public or decrypted amounts', async () => {
    const moved = [
      deposit(1_000n),
      encrypted(asset, 'confidential_transfer', 70_000n),
      encrypted(asset, 'confidential_transfer_with_fee', 2n ** 40n),
      encrypted(asset, 'confidential_mint', 5n),
      encrypted(asset, 'confidential_burn', 3n),
      { ...deposit(400n), type: 'confidential_withdraw' as const },
    ];
    const ids = await add([...moved, { type: 'configure_account', blockTime: IN_PERIOD }]);
    const opened = await openFor();
    const { nodes } = await office.transactions(opened.id);
    expect(nodes.map(({ id, amount }) => [id, amount])).toEqual(
      ['1000', '70000', (2n ** 40n).toString(), '5', '3', '400'].map((amount, index) => [ids[index], amount]),
    );
    expect(nodes[0]).toMatchObject({
      assetId: asset.id,
      symbol: 'PUSD',
      decimals: 6,
      blockTime: IN_PERIOD,
      sourceAccount: moved[0]!.sourceAccount,
      restricted: [],
    });
  });

  it('have the symbol of an asset from before symbols were refused a tab', async () => {
    await add([deposit(1_000n)]);
    await database.rows(sql`update assets set symbol = E'P\\tUSD\\t' where id = ${asset.id}`);
    const opened = await openFor();
    const { nodes } = await office.transactions(opened.id);
    expect(nodes).toMatchObject([{ symbol: 'P\tUSD\t', decimals: 6, amount: '1000' }]);
  });

  it('are masked by the granted flags', async () => {
    const nextDay = IN_PERIOD + 86_400;
    await add([deposit(1_000n), { ...deposit(400n, nextDay), type: 'confidential_withdraw' }]);
    const opened = await office.open({ assetIds: [asset.id] });
    const { nodes } = await office.transactions(opened.id);
    expect(
      nodes.map(({ amount, sourceAccount, restricted }) => ({ amount, sourceAccount, restricted })),
    ).toEqual([
      {
        amount: '1000',
        sourceAccount: null,
        restricted: [
          'id',
          'networkTransactionId',
          'blockTime',
          'signer',
          'authority',
          'sourceAccount',
          'destinationAccount',
        ],
      },
      {
        amount: null,
        sourceAccount: null,
        restricted: [
          ...['id', 'networkTransactionId', 'blockTime', 'signer', 'authority'],
          ...['sourceAccount', 'destinationAccount', 'amount'],
        ],
      },
    ]);
  });

  it('mark an amount that no key opens as undecryptable, and show the others', async () => {
    const strangers = await openOffice(foundation, 'strangers');
    await add([
      encrypted(strangers.asset, 'confidential_transfer', 9n),
      encrypted(asset, 'confidential_transfer', 8n),
      { type: 'confidential_transfer', blockTime: IN_PERIOD },
    ]);
    const opened = await openFor();
    const { nodes } = await office.transactions(opened.id);
    expect(nodes.map(({ amount, undecryptable }) => [amount, undecryptable])).toEqual([
      [null, true],
      ['8', false],
      [null, true],
    ]);
    expect(await office.totals(opened.id)).toEqual([
      {
        assetId: asset.id,
        symbol: 'PUSD',
        decimals: 6,
        totals: [
          {
            type: 'confidential_transfer',
            flow: 'within',
            count: 3,
            amount: '8',
            undecryptable: 2,
            restricted: 0,
          },
        ],
      },
    ]);
  });

  it('are those of the case’s assets in its period, including both whole days', async () => {
    const ids = await add([
      deposit(1n, seconds('2025-12-31T23:59:59Z')),
      deposit(2n, seconds('2026-01-01T00:00:00Z')),
      deposit(3n, seconds('2026-03-31T23:59:59Z')),
      deposit(4n, seconds('2026-04-01T00:00:00Z')),
      deposit(5n, null),
    ]);
    await add([deposit(6n)], office.asset);
    const opened = await openFor();
    const { nodes } = await office.transactions(opened.id);
    expect(nodes.map(({ id }) => id)).toEqual([ids[1], ids[2]]);
  });

  it('are empty if the scope and the assets belong to different organizations', async () => {
    await add([deposit(1n)]);
    const opened = await openFor();
    const stranger = await openOffice(foundation, 'stranger');
    const scope = { ...scopeOf(foundation, opened), organizationId: stranger.organization.id };
    expect(await selectCaseTransactions(database, scope, { limit: 10 })).toEqual([]);
    expect(await countCaseTransactions(database, scope)).toBe(0);
  });

  it('disappear if their asset is assigned to another application, and reappear when it returns', async () => {
    await add([deposit(1n), deposit(2n)]);
    const opened = await openFor();
    const count = async () => (await office.transactions(opened.id)).nodes.length;
    const scope = scopeOf(foundation, opened);
    const before = await snapshotOf(database, scope);
    expect(await count()).toBe(2);
    await assignAsset(foundation, office.owner.principal, { assetId: asset.id, foreignId: null });
    expect([await count(), await office.totals(opened.id)]).toEqual([0, []]);
    expect(await countCaseTransactions(database, scope, await snapshotOf(database, scope))).toBe(0);
    // The captured count does not change.
    expect(await countCaseTransactions(database, scope, before)).toBe(2);
    await assignAsset(foundation, office.owner.principal, { assetId: asset.id, foreignId: 'payments' });
    expect(await count()).toBe(2);
  });

  it('are paged in time order without duplicates, for any page size and any assets', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(2), fc.integer({ min: 0, max: 4 })), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 7 }),
        async (records, first) => {
          const assets = await Promise.all(
            [0, 1, 2].map(() =>
              seedAsset(foundation, office.organization.id, { applicationId: office.application.id }),
            ),
          );
          for (const [asset, second] of records) await add([deposit(1n, IN_PERIOD + second)], assets[asset]);
          const opened = await openFor(assets);
          const paged: CaseTransaction[] = [];
          for (let after: string | null = null, more = true; more;) {
            const page = await office.transactions(opened.id, { first, after });
            expect(page.nodes.length).toBeLessThanOrEqual(first);
            paged.push(...page.nodes);
            after = page.pageInfo.endCursor;
            more = page.pageInfo.hasNextPage;
          }
          expect(paged).toHaveLength(records.length);
          expect(new Set(paged.map(({ id }) => id)).size).toBe(records.length);
          const order = paged.map(({ blockTime, assetId }) => `${blockTime} ${assetId}`);
          expect(order).toEqual([...order].sort());
        },
      ),
      { numRuns: 6 },
    );
  });

  it('are paged separately for each type, with their own cursors', async () => {
    await add([deposit(1n), encrypted(asset, 'confidential_mint', 2n), deposit(3n)]);
    const opened = await openFor();
    const type = 'confidential_deposit';
    const first = await office.transactions(opened.id, { first: 1, type });
    const after = first.pageInfo.endCursor;
    expect((await office.transactions(opened.id, { first: 1, type, after })).nodes[0]!.amount).toBe('3');
    for (const input of [
      { after },
      { after: 'x' },
      { type: 'configure_account' },
      { first: 0 },
      { first: 201 },
    ])
      expect(await codeOf(office.transactions(opened.id, input))).toBe('BAD_USER_INPUT');
  });

  it('are neither returned nor logged as viewed if the window closes during decryption', async () => {
    await add([encrypted(asset, 'confidential_transfer', 7n)]);
    const opened = await openFor();
    office.pool.before = () => clock.set(opened.expiresAt);
    try {
      expect(await codeOf(office.transactions(opened.id))).toBe('NOT_FOUND');
    } finally {
      office.pool.before = () => undefined;
    }
    expect(await logOf(foundation, opened.id)).not.toContain('case.viewed');
  });

  it('are neither returned, summed, proven nor logged as viewed if the session ends during decryption', async () => {
    await add([encrypted(asset, 'confidential_transfer', 7n)]);
    const opened = await openFor();
    const endsAt = async (end: Date | null) => {
      await database.rows(
        sql`update sessions set ended_at = ${end} where id = ${office.ana.principal.sessionId}`,
      );
    };
    office.pool.before = () => endsAt(clock.now());
    try {
      expect(await codeOf(office.transactions(opened.id))).toBe('UNAUTHENTICATED');
      await endsAt(null);
      expect(await codeOf(office.totals(opened.id))).toBe('UNAUTHENTICATED');
      await endsAt(null);
      expect(await logOf(foundation, opened.id)).not.toContain('case.viewed');
      office.pool.before = () => undefined;
      const { nodes } = await office.transactions(opened.id);
      office.pool.before = () => endsAt(clock.now());
      expect(await codeOf(nodes[0]!.proof)).toBe('UNAUTHENTICATED');
      await endsAt(null);
    } finally {
      office.pool.before = () => undefined;
    }
  });

  it('have totals up to a limit, and beyond it an error that suggests a report', async () => {
    const opened = await openFor();
    await database.rows(sql`
      insert into transactions (id, asset_id, position, signature, path, type, slot, block_time, signer, public_data,
        ciphertexts, indexed_at)
      select ${asset.id} || n, ${asset.id}, n, n::text, '{0,0,0}', 'confidential_deposit', n, ${IN_PERIOD}, 'signer',
        '{"amount": "18446744073709551615"}', '{}', now()
      from generate_series(1, 1000) as n`);
    const [summed] = await office.totals(opened.id);
    expect(summed!.totals).toEqual([
      {
        type: 'confidential_deposit',
        flow: 'in',
        count: 1000,
        amount: '18446744073709551615000',
        undecryptable: 0,
        restricted: 0,
      },
    ]);
    await database.rows(sql`
      insert into transactions (id, asset_id, position, signature, path, type, slot, block_time, signer, public_data,
        ciphertexts, indexed_at)
      values (${asset.id}, ${asset.id}, 1001, 'last', '{0,0,0}', 'confidential_deposit', 1, ${IN_PERIOD}, 'signer',
        '{"amount": "1"}', '{}', now())`);
    await expect(office.totals(opened.id)).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringContaining('transaction_summary'),
    });
  });

  it('do not change in a snapshot while more records are indexed', async () => {
    const second = await seedAsset(foundation, office.organization.id, {
      applicationId: office.application.id,
    });
    const before = [
      ...(await add(Array.from({ length: 7 }, (_, index) => deposit(1n, IN_PERIOD + index)))),
      ...(await add(
        Array.from({ length: 6 }, (_, index) => deposit(1n, IN_PERIOD + index)),
        second,
      )),
    ];
    const opened = await openFor([asset, second]);
    const scope = scopeOf(foundation, opened);
    const snapshot = await snapshotOf(database, scope);
    expect([...snapshot]).toHaveLength(2);
    const { signal } = new AbortController();
    const seen: string[] = [];
    const options = { pageSize: 4, signal };
    for await (const page of caseTransactionPages(foundation, office.pool, scope, snapshot, options)) {
      seen.push(...page.map(({ id }) => id));
      await add([deposit(1n, IN_PERIOD + 3), deposit(1n, IN_PERIOD + 9)]);
    }
    expect([...seen].sort()).toEqual([...before].sort());
    expect(await countCaseTransactions(database, scope, snapshot)).toBe(before.length);
    expect(await countCaseTransactions(database, scope)).toBeGreaterThan(before.length);
  });

  it('are paged in a snapshot in order without duplicates, for any distribution over the assets', async () => {
    const others = await Promise.all(
      Array.from({ length: 7 }, () =>
        seedAsset(foundation, office.organization.id, { applicationId: office.application.id }),
      ),
    );
    const assets = [asset, ...others];
    const times = (count: number, step: number) =>
      Array.from({ length: count }, (_, index) => deposit(1n, IN_PERIOD + Math.floor(index * step)));
    // One type with most of the records, one with many in the same second, few of the others, and none of the last.
    await add(times(60, 1));
    await add(times(15, 0.1), assets[1]);
    for (const few of assets.slice(2, -1)) await add(times(3, 17), few);
    const scope = scopeOf(foundation, await openFor(assets));
    const snapshot = await snapshotOf(database, scope);
    const all = await selectCaseTransactions(database, scope, { snapshot, limit: 1000 });
    expect(all).toHaveLength(90);
    for (const pageSize of [1, 2, 3, 7, 16, 89, 90, 91, 1000]) {
      const seen: string[] = [];
      const options = { pageSize, signal: new AbortController().signal };
      for await (const page of caseTransactionPages(foundation, office.pool, scope, snapshot, options)) {
        expect(page.length).toBeLessThanOrEqual(pageSize);
        seen.push(...page.map(({ id }) => id));
      }
      expect(seen).toEqual(all.map(({ id }) => id));
    }
  });

  it('stop when the signal aborts, with its reason', async () => {
    await add(Array.from({ length: 6 }, () => deposit(1n)));
    const scope = scopeOf(foundation, await openFor());
    const snapshot = await snapshotOf(database, scope);
    const ending = new AbortController();
    const pages = caseTransactionPages(foundation, office.pool, scope, snapshot, {
      pageSize: 2,
      signal: ending.signal,
    });
    expect((await pages.next()).value).toHaveLength(2);
    ending.abort(new Error('Enough.'));
    await expect(pages.next()).rejects.toThrow('Enough.');
  });
});
