import { beforeEach, describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import type { FollowOptions, Foundation } from '../../../src/platform/database/index.js';
import { followTransactions, listTransactions } from '../../../src/domain/transactions/index.js';
import { seedAsset, seedRecords, type SeededAsset } from '../../kit/ledger/confidential-records.js';
import { seedOrganization, openTestFoundation } from '../../kit/seed.js';

const { foundation } = await openTestFoundation();
const acme = await seedOrganization(foundation);

describe('following an asset’s transactions', () => {
  let asset: SeededAsset;

  beforeEach(async () => {
    asset = await seedAsset(foundation, acme.organization.id);
  });

  // Polling never happens, so events arrive only through signals.
  const NEVER = 2 ** 30;
  const follow = (after?: string | null, options: FollowOptions = { pollMs: NEVER }) =>
    followTransactions(foundation, acme.apiKey.principal, { assetId: asset.id, after }, options);
  const add = async (count: number) =>
    (
      await seedRecords(
        foundation,
        asset,
        Array.from({ length: count }, () => ({})),
      )
    ).map(({ id }) => id);

  async function take(stream: Awaited<ReturnType<typeof follow>>, count: number) {
    const taken = [];
    while (taken.length < count) {
      const next = await stream.next();
      if (next.done) break;
      taken.push(next.value);
    }
    return taken;
  }

  it('begins with transactions that are added after the start', async () => {
    await add(2);
    const stream = await follow();
    const next = take(stream, 1);
    const [added] = await add(1);
    expect((await next)[0]!.transaction.id).toBe(added);
    await stream.return();
  });

  it('resumes after the last cursor of the listing, over more records than one read returns', async () => {
    const ids = await add(230);
    const { endCursor } = (
      await listTransactions(foundation, acme.apiKey.principal, { assetId: asset.id, first: 3 })
    ).pageInfo;
    const stream = await follow(endCursor);
    expect((await take(stream, 227)).map(({ transaction }) => transaction.id)).toEqual(ids.slice(3));
    await stream.return();
  });

  it('loses and duplicates nothing, however often the subscriber reconnects while records are added', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 6 }),
        async (sizes) => {
          asset = await seedAsset(foundation, acme.organization.id);
          const written = await add(1);
          const [start] = (await listTransactions(foundation, acme.apiKey.principal, { assetId: asset.id }))
            .edges;
          let cursor = start!.cursor;
          const read = [start!.node.id];
          for (const size of sizes) {
            const stream = await follow(cursor);
            const [taken, added] = await Promise.all([take(stream, size), add(size)]);
            await stream.return();
            written.push(...added);
            read.push(...taken.map(({ transaction }) => transaction.id));
            cursor = taken.at(-1)!.cursor;
          }
          expect(read).toEqual(written);
        },
      ),
      { numRuns: 8 },
    );
  });

  it('finds a record whose wake-up was lost', async () => {
    const deaf: Foundation = {
      ...foundation,
      signals: { ...foundation.signals, listen: () => () => undefined },
    };
    const stream = await followTransactions(
      deaf,
      acme.apiKey.principal,
      { assetId: asset.id },
      { pollMs: 5 },
    );
    const next = take(stream, 1);
    const [added] = await add(1);
    expect((await next)[0]!.transaction.id).toBe(added);
    await stream.return();
  });

  it('ends when it is aborted, and when an idle subscriber leaves', async () => {
    const controller = new AbortController();
    const aborted = await follow(undefined, { pollMs: NEVER, signal: controller.signal });
    const waiting = aborted.next();
    controller.abort();
    expect(await waiting).toEqual({ done: true, value: undefined });

    const left = await follow();
    const pending = left.next();
    await left.return();
    expect(await pending).toEqual({ done: true, value: undefined });
  });

  it('is refused to another organization, and after a foreign cursor', async () => {
    const other = await seedOrganization(foundation, { name: 'Other' });
    await expect(
      followTransactions(foundation, other.apiKey.principal, { assetId: asset.id }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(followTransactions(foundation, undefined, { assetId: asset.id })).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
    await expect(follow('AAAA')).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
  });
});
