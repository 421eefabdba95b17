import { beforeEach, describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import { newId } from '../../../src/platform/kernel/ids.js';
import { CONFIDENTIAL_EVENT_TYPES } from '../../../src/platform/ledger/index.js';
import { listTransactions, type ListTransactionsInput } from '../../../src/domain/transactions/index.js';
import {
  randomAddress,
  seedAsset,
  seedRecords,
  type SeededAsset,
} from '../../kit/ledger/confidential-records.js';
import { seedApiKey } from '../../kit/seed.js';
import { openTwoOrganizations } from '../../kit/two-organizations.js';

type Page = Awaited<ReturnType<typeof listTransactions>>;
const at = (second: number) => new Date(Date.UTC(2026, 10, 21, 10, 0, second));

const { foundation, acme, other } = await openTwoOrganizations();

describe('the listing of an asset’s transactions', () => {
  let asset: SeededAsset;

  beforeEach(async () => {
    asset = await seedAsset(foundation, acme.organization.id);
  });

  const list = (input: Partial<ListTransactionsInput> = {}) =>
    listTransactions(foundation, acme.apiKey.principal, { assetId: asset.id, ...input });

  it('goes from oldest to newest in indexing order', async () => {
    const seeded = await seedRecords(foundation, asset, [{ slot: 30 }, { slot: 10 }, { slot: 20 }]);
    const page = await list();
    expect(page.nodes.map(({ id }) => id)).toEqual(seeded.map(({ id }) => id));
    expect(page.pageInfo.hasNextPage).toBe(false);
  });

  it('returns every member of a record', async () => {
    const sourceAccount = randomAddress();
    const [seeded] = await seedRecords(foundation, asset, [
      {
        type: 'confidential_deposit',
        path: [2, 1, 0],
        slot: 77,
        blockTime: null,
        sourceAccount,
        destinationAccount: null,
        publicData: { instructionIndex: 2, amount: '18446744073709551615' },
        indexedAt: at(0),
      },
    ]);
    expect((await list()).nodes[0]).toMatchObject({
      id: seeded!.id,
      assetId: asset.id,
      network: 'solana',
      networkTransactionId: seeded!.signature,
      type: 'confidential_deposit',
      slot: 77,
      blockTime: null,
      publicData: { instructionIndex: 2, amount: '18446744073709551615' },
      ciphertexts: {},
      indexedAt: at(0),
      sourceAccount,
      destinationAccount: null,
    });
  });

  it('misses and duplicates nothing while records are added, for any page and batch sizes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 1, max: 5 })), {
          minLength: 1,
          maxLength: 8,
        }),
        async (steps) => {
          const fresh = await seedAsset(foundation, acme.organization.id);
          const written: string[] = [];
          const read: string[] = [];
          let after: string | null = null;
          for (const [additions, first] of [...steps, [0, 200] as const]) {
            const [added, page]: [{ id: string }[], Page] = await Promise.all([
              seedRecords(
                foundation,
                fresh,
                Array.from({ length: additions }, () => ({})),
              ),
              listTransactions(foundation, acme.apiKey.principal, { assetId: fresh.id, first, after }),
            ]);
            written.push(...added.map(({ id }) => id));
            read.push(...page.nodes.map(({ id }) => id));
            after = page.pageInfo.endCursor ?? after;
          }
          const rest = await listTransactions(foundation, acme.apiKey.principal, {
            assetId: fresh.id,
            after,
          });
          expect([...read, ...rest.nodes.map(({ id }) => id)]).toEqual(written);
        },
      ),
      { numRuns: 10 },
    );
  });

  it('is filtered by type, by either account, and by indexing time, including both bounds', async () => {
    const account = randomAddress();
    const ids = (
      await seedRecords(foundation, asset, [
        { type: 'confidential_transfer', sourceAccount: account, indexedAt: at(1) },
        { type: 'confidential_burn', destinationAccount: account, indexedAt: at(2) },
        { type: 'confidential_transfer', indexedAt: at(3) },
      ])
    ).map(({ id }) => id);
    const found = async (input: Partial<ListTransactionsInput>) =>
      (await list(input)).nodes.map(({ id }) => ids.indexOf(id));
    expect(await found({ type: 'confidential_transfer' })).toEqual([0, 2]);
    expect(await found({ account })).toEqual([0, 1]);
    expect(await found({ account, type: 'confidential_burn' })).toEqual([1]);
    expect(await found({ from: at(2) })).toEqual([1, 2]);
    expect(await found({ to: at(2) })).toEqual([0, 1]);
    expect(await found({ from: at(2), to: at(2) })).toEqual([1]);
  });

  it('accepts every event type, and refuses others', async () => {
    for (const type of CONFIDENTIAL_EVENT_TYPES) expect((await list({ type })).nodes).toEqual([]);
    await expect(list({ type: 'transfer' })).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  it('refuses a malformed account, period or page size, and names it', async () => {
    await expect(list({ account: 'not-base58' })).rejects.toThrow('account');
    await expect(list({ from: at(2), to: at(1) })).rejects.toThrow('from must not be after to');
    for (const first of [0, 201, 1.5]) await expect(list({ first })).rejects.toThrow('first');
  });

  it('refuses a cursor that is malformed, of another asset, or made with other filters', async () => {
    await seedRecords(foundation, asset, [{}, {}]);
    const { endCursor } = (await list({ first: 1 })).pageInfo;
    const another = await seedAsset(foundation, acme.organization.id);
    await expect(list({ after: 'AAAA' })).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
    await expect(list({ after: endCursor, type: 'confidential_transfer' })).rejects.toThrow('other filters');
    await expect(list({ after: endCursor, assetId: another.id })).rejects.toThrow('other filters');
    expect((await list({ after: endCursor })).nodes).toHaveLength(1);
  });

  it('is NOT_FOUND for another organization and for a malformed id', async () => {
    await expect(
      listTransactions(foundation, other.apiKey.principal, { assetId: asset.id }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(list({ assetId: 'ast_1' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(list({ assetId: newId('ast') })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('requires the scope transactions:read', async () => {
    const { principal } = await seedApiKey(foundation, acme.organization.id, ['assets:read']);
    await expect(listTransactions(foundation, principal, { assetId: asset.id })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    await expect(listTransactions(foundation, undefined, { assetId: asset.id })).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
  });
});
