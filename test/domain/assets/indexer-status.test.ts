import { describe, expect, it } from '@jest/globals';
import { createAsset } from '../../../src/domain/assets/index.js';
import { createPresentKeyOf } from '../../../src/domain/assets/auditor-keys/auditor-key-coverage.js';
import { createIndexerStatusOf } from '../../../src/domain/assets/indexer-status.js';
import { sql, type Foundation } from '../../../src/platform/database/index.js';
import { type Id, newId } from '../../../src/platform/kernel/ids.js';
import { seedApiKey } from '../../kit/seed.js';
import { openTwoOrganizations } from '../../kit/two-organizations.js';
import { boundAsset, EURO } from './kit.js';

const { database, foundation, acme, other } = await openTwoOrganizations();

describe('the indexer status of an asset', () => {
  const statusOf = (assetId: Id<'ast'>, principal = acme.apiKey.principal) =>
    createIndexerStatusOf(foundation)(principal, assetId);

  const NOTHING_INDEXED = {
    indexedCount: 0,
    latestSlot: null,
    latestBlockTime: null,
    latestSignature: null,
    lastIndexedAt: null,
  };

  it('is pending without details of a mint before one is bound', async () => {
    const { id } = await createAsset(foundation, acme.apiKey.principal, EURO);
    expect(await statusOf(id)).toEqual({
      assetId: id,
      mintAddress: null,
      registered: false,
      status: 'pending',
      reason: null,
      ...NOTHING_INDEXED,
    });
  });

  it('is pending until the bound mint passes verification on the ledger', async () => {
    const { id, mintAddress } = await boundAsset(foundation, acme.apiKey.principal);
    expect(await statusOf(id)).toEqual({
      assetId: id,
      mintAddress,
      registered: false,
      status: 'pending',
      reason: null,
      ...NOTHING_INDEXED,
    });
  });

  it.each([
    ['a mint that never passed verification', 'error', 'auditor_key_mismatch', null, false],
    ['a mint that is in order', 'active', null, '2026-01-02T00:00:00Z', true],
    [
      'a registered mint that the ledger does not answer for',
      'pending',
      'ledger_unreachable',
      '2026-01-02T00:00:00Z',
      true,
    ],
    ['a registered mint with a gap in its history', 'error', 'history_gap', '2026-01-02T00:00:00Z', true],
  ])('shows the status of %s', async (_what, status, reason, registeredAt, registered) => {
    const { id } = await boundAsset(foundation, acme.apiKey.principal);
    await database.rows(sql`
      update indexed_mints set status = ${status}, reason = ${reason}, registered_at = ${registeredAt}::timestamptz, verified = ${registered}
      where asset_id = ${id}`);
    expect(await statusOf(id)).toMatchObject({ status, reason, registered });
  });

  it('shows the newest record', async () => {
    const { id } = await boundAsset(foundation, acme.apiKey.principal);
    const newest = {
      indexedCount: 9_007_199_254_740_991,
      latestSlot: 400_000_000,
      latestBlockTime: 1_900_000_000,
      latestSignature: 'signature',
      lastIndexedAt: new Date('2026-03-04T05:06:07.089Z'),
    };
    await database.rows(sql`
      update indexed_mints set record_count = ${newest.indexedCount}, latest_slot = ${newest.latestSlot},
        latest_block_time = ${newest.latestBlockTime}, latest_signature = ${newest.latestSignature},
        last_indexed_at = ${newest.lastIndexedAt} where asset_id = ${id}`);
    expect(await statusOf(id)).toMatchObject(newest);
  });

  it('is read with one statement for a page of assets, as is the current key of their mints', async () => {
    const assets = await Promise.all([1, 2, 3].map(() => boundAsset(foundation, acme.apiKey.principal)));
    const [first, second] = assets;
    for (const [at, { id }] of [first!, second!].entries())
      for (const slot of [1, 2])
        await database.rows(sql`
          insert into mint_auditor_keys (asset_id, from_slot, signature, path, public_key)
          values (${id}, ${10 * at + slot}, ${`signature ${slot}`}, '{0}', null)`);
    let statements = 0;
    const counted: Pick<Foundation, 'database'> = {
      database: {
        ...database,
        rows: (statement) => {
          statements += 1;
          return database.rows(statement);
        },
      },
    };
    const { principal } = acme.apiKey;
    const indexerStatusOf = createIndexerStatusOf(counted);
    const statuses = await Promise.all(assets.map(({ id }) => indexerStatusOf(principal, id)));
    expect(statuses.map(({ mintAddress }) => mintAddress)).toEqual(
      assets.map(({ mintAddress }) => mintAddress),
    );
    expect(statements).toBe(1);
    const presentKeyOf = createPresentKeyOf(counted);
    const keys = await Promise.all(assets.map(({ id }) => presentKeyOf(principal, id)));
    expect(keys.map((key) => key?.fromSlot)).toEqual([2, 12, undefined]);
    expect(statements).toBe(2);
  });

  it('requires the scope assets:read, and reveals nothing to another organization', async () => {
    const { id } = await boundAsset(foundation, acme.apiKey.principal);
    const writer = await seedApiKey(foundation, acme.organization.id, ['assets:write']);
    await expect(statusOf(id, writer.principal)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    for (const assetId of [id, newId('ast')])
      expect(await statusOf(assetId, other.apiKey.principal)).toMatchObject({
        mintAddress: null,
        status: 'pending',
      });
  });
});
