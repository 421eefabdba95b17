import { beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/platform/database/index.js';
import {
  claimMints,
  fairShare,
  leaveWorkers,
  mintsToYield,
  releaseLease,
  renewLeases,
  underLease,
  underVerifiedLease,
} from '../../../src/domain/indexer/mint-lease.js';
import { sweepWorkers } from '../../../src/domain/indexer/sweep-workers.js';
import { LeaseLost } from '../../../src/platform/jobs/index.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { forFile } from '../../kit/for-file.js';
import { bindTestMint, expireLeases } from './bound-mint.js';
import { addressOf } from './scripted-ledger.js';

const durationMs = 60_000;
const [one, two] = [
  { owner: 'one', durationMs, capacity: 10 },
  { owner: 'two', durationMs, capacity: 10 },
];

const database = forFile(await createTestDatabase());

describe('mint leases', () => {
  beforeEach(async () => {
    await database.rows(sql`truncate assets, indexer_workers cascade`);
    for (const name of ['a', 'b', 'c']) await bindTestMint(database, addressOf(name));
  });

  it('give a mint to only one of many concurrent workers', async () => {
    const claims = await Promise.all(
      Array.from({ length: 8 }, (_, index) => claimMints(database, { ...one, owner: `worker ${index}` }, 10)),
    );
    expect(claims.flat()).toHaveLength(3);
    expect(new Set(claims.flat().map(({ mintAddress }) => mintAddress)).size).toBe(3);
  });

  it('last until they expire, and then pass on with a greater token', async () => {
    const [before] = await claimMints(database, one, 1);
    expect(await claimMints(database, two, 10)).toHaveLength(2);
    await expireLeases(database);
    const after = (await claimMints(database, two, 10)).find(({ assetId }) => assetId === before!.assetId);
    expect(after).toMatchObject({ owner: 'two', fencingToken: before!.fencingToken + 1 });
  });

  it('are extended by renewing, which returns their tokens', async () => {
    const claimed = await claimMints(database, one, 10);
    await expireLeases(database);
    const renewed = await renewLeases(database, one);
    expect(new Set(renewed)).toEqual(new Set(claimed));
    expect(await claimMints(database, two, 10)).toEqual([]);
  });

  it('are not shared with dead workers, whose rows are deleted after a day', async () => {
    await renewLeases(database, one);
    await database.rows(sql`
      insert into indexer_workers (instance_id, seen_at) values ('killed', now() - interval '25 hours'),
        ('gone for an hour', now() - interval '1 hour')`);
    expect(await sweepWorkers(database).sweep(10)).toBe(1);
    const left = await database.rows(
      sql<{ id: string }>`select instance_id as id from indexer_workers order by instance_id`,
    );
    expect(left.map(({ id }) => id)).toEqual(['gone for an hour', 'one']);
  });

  it('are free as soon as their holder releases them, but a worker that lost one cannot release it', async () => {
    const [lost] = await claimMints(database, one, 1);
    await expireLeases(database);
    const held = (await claimMints(database, two, 10)).find(({ assetId }) => assetId === lost!.assetId)!;
    await releaseLease(database, lost!);
    expect(await claimMints(database, one, 10)).toEqual([]);
    await releaseLease(database, held);
    expect(await claimMints(database, one, 10)).toHaveLength(1);
  });

  it('let only the holder write', async () => {
    const [lost] = await claimMints(database, one, 1);
    await expect(underLease(database, lost!, () => Promise.resolve('written'))).resolves.toBe('written');
    await expireLeases(database);
    await claimMints(database, two, 10);
    await expect(underLease(database, lost!, () => Promise.resolve('written'))).rejects.toBeInstanceOf(
      LeaseLost,
    );
  });

  it('allow records to be written only for a verified or observed mint', async () => {
    const [held] = await claimMints(database, one, 1);
    const written = () => underVerifiedLease(database, held!, () => Promise.resolve('written'));
    await expect(written()).rejects.toBeInstanceOf(LeaseLost);
    await database.rows(sql`update indexed_mints set observed = true where asset_id = ${held!.assetId}`);
    expect(await written()).toBe('written');
    await database.rows(sql`
      update indexed_mints set observed = false, verified_slot = 7 where asset_id = ${held!.assetId}`);
    expect(await written()).toBe('written');
  });

  it('are never given for a disabled mint', async () => {
    const [held] = await claimMints(database, one, 1);
    await database.rows(sql`update indexed_mints set status = 'disabled'`);
    await expect(underLease(database, held!, () => Promise.resolve('written'))).rejects.toBeInstanceOf(
      LeaseLost,
    );
    expect(await renewLeases(database, one)).toEqual([]);
    expect(await claimMints(database, two, 10)).toEqual([]);
  });

  it('are shared among live workers', async () => {
    await renewLeases(database, one);
    expect(await fairShare(database, one)).toBe(3);
    await renewLeases(database, two);
    expect(await fairShare(database, one)).toBe(2);
    expect(await fairShare(database, { ...one, capacity: 1 })).toBe(1);
    await leaveWorkers(database, 'two');
    expect(await fairShare(database, one)).toBe(3);
  });

  it('go first to mints seen with their key, and then to claims of mints that may not exist', async () => {
    const [, , last] = await database.rows(
      sql<{ id: string }>`select asset_id as id from indexed_mints order by next_attempt_at`,
    );
    await database.rows(sql`update indexed_mints set verified = true where asset_id = ${last!.id}`);
    expect(await claimMints(database, one, 1)).toMatchObject([{ assetId: last!.id }]);
  });

  describe('of several organizations', () => {
    const [rich, poor] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
    const bind = (name: string, auditorPublicKey: Uint8Array) =>
      bindTestMint(database, addressOf(name), { auditorPublicKey });
    beforeEach(async () => {
      await database.rows(sql`truncate assets cascade`);
      for (let index = 0; index < 6; index += 1) await bind(`rich ${index}`, rich);
    });
    const held = async () => {
      const [counts] = await database.rows(sql<{ rich: number; poor: number }>`
        select count(*) filter (where auditor_public_key = ${rich})::integer as rich,
          count(*) filter (where auditor_public_key = ${poor})::integer as poor
        from indexed_mints join assets on assets.id = asset_id where lease_owner is not null`);
      return counts!;
    };

    it('go to organizations in turn, not to the first to bind', async () => {
      for (let index = 0; index < 2; index += 1) await bind(`poor ${index}`, poor);
      expect(await claimMints(database, one, 4)).toHaveLength(4);
      expect(await held()).toEqual({ rich: 2, poor: 2 });
    });

    it('pass to another organization until both hold the same number', async () => {
      const leases = await claimMints(database, one, 4);
      for (let index = 0; index < 6; index += 1) await bind(`poor ${index}`, poor);
      const yielded = await mintsToYield(database, one);
      expect(yielded).toHaveLength(2);
      for (const lease of leases) if (yielded.includes(lease.assetId)) await releaseLease(database, lease);
      await claimMints(database, one, 2);
      expect(await held()).toEqual({ rich: 2, poor: 2 });
      expect(await mintsToYield(database, one)).toEqual([]);
    });

    it('are not passed on within an organization', async () => {
      await claimMints(database, one, 4);
      expect(await mintsToYield(database, one)).toEqual([]);
    });
  });
});
