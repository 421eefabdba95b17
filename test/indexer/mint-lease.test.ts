import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql, type Database } from '../../src/database/index.js';
import {
  claimMints,
  fairShare,
  leaveWorkers,
  LeaseLost,
  releaseLease,
  renewLeases,
  underLease,
} from '../../src/indexer/mint-lease.js';
import { createTestDatabase } from '../kit/database.js';
import { bindTestMint, expireLeases } from './bound-mint.js';
import { addressOf } from './scripted-ledger.js';

const leaseMs = 60_000;
const [one, two] = [
  { owner: 'one', leaseMs, limit: 10, capacity: 10 },
  { owner: 'two', leaseMs, limit: 10, capacity: 10 },
];

describe('the leases of mints', () => {
  let database: Database;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => database[Symbol.asyncDispose]());
  beforeEach(async () => {
    await database.rows(sql`truncate assets, indexer_workers cascade`);
    for (const name of ['a', 'b', 'c']) await bindTestMint(database, addressOf(name));
  });

  it('give a mint to one of many workers who claim at once', async () => {
    const claims = await Promise.all(
      Array.from({ length: 8 }, (_, index) => claimMints(database, { ...one, owner: `worker ${index}` })),
    );
    expect(claims.flat()).toHaveLength(3);
    expect(new Set(claims.flat().map(({ mintAddress }) => mintAddress)).size).toBe(3);
  });

  it('hold until they expire, and then pass on with a greater token', async () => {
    const [before] = await claimMints(database, { ...one, limit: 1 });
    expect(await claimMints(database, two)).toHaveLength(2);
    await expireLeases(database);
    const after = (await claimMints(database, two)).find(({ assetId }) => assetId === before!.assetId);
    expect(after).toMatchObject({ owner: 'two', fencingToken: before!.fencingToken + 1 });
  });

  it('are kept by renewing, and are answered with their tokens', async () => {
    const claimed = await claimMints(database, one);
    await expireLeases(database);
    const renewed = await renewLeases(database, one);
    expect(new Set(renewed)).toEqual(new Set(claimed));
    expect(await claimMints(database, two)).toEqual([]);
  });

  it('are free at once when they are released, but not by one who lost them', async () => {
    const [lost] = await claimMints(database, { ...one, limit: 1 });
    await expireLeases(database);
    const held = (await claimMints(database, two)).find(({ assetId }) => assetId === lost!.assetId)!;
    await releaseLease(database, lost!);
    expect(await claimMints(database, one)).toEqual([]);
    await releaseLease(database, held);
    expect(await claimMints(database, one)).toHaveLength(1);
  });

  it('let only the holder write', async () => {
    const [lost] = await claimMints(database, { ...one, limit: 1 });
    await expect(underLease(database, lost!, () => Promise.resolve('written'))).resolves.toBe('written');
    await expireLeases(database);
    await claimMints(database, two);
    await expect(underLease(database, lost!, () => Promise.resolve('written'))).rejects.toBeInstanceOf(
      LeaseLost,
    );
  });

  it('leave a disabled mint to nobody', async () => {
    const [held] = await claimMints(database, { ...one, limit: 1 });
    await database.rows(sql`update indexed_mints set status = 'disabled'`);
    await expect(underLease(database, held!, () => Promise.resolve())).rejects.toBeInstanceOf(LeaseLost);
    expect(await renewLeases(database, one)).toEqual([]);
    expect(await claimMints(database, two)).toEqual([]);
  });

  it('are shared among the workers that live', async () => {
    await renewLeases(database, one);
    expect(await fairShare(database, one)).toBe(3);
    await renewLeases(database, two);
    expect(await fairShare(database, one)).toBe(2);
    expect(await fairShare(database, { ...one, capacity: 1 })).toBe(1);
    await leaveWorkers(database, 'two');
    expect(await fairShare(database, one)).toBe(3);
  });
});
