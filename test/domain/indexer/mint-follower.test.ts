import { describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/platform/database/index.js';
import { LeaseLost } from '../../../src/platform/jobs/index.js';
import { storedMint, storedRecords } from './bound-mint.js';
import { Crash, databaseKilledAt, indexerFoundation, takeOver } from './follower-kit.js';
import { addressOf, instructions } from './scripted-ledger.js';
import { alice, auditorKey, bob, followerStories, mint } from './follower-stories.js';

const otherKey = new Uint8Array(32).fill(8);
const stories = followerStories();
const { openAccounts, typesOf } = stories;

describe('the history of a mint', () => {
  it('is indexed in ledger order, including instructions that name only an account discovered on the way', async () => {
    openAccounts();
    stories.ledger.add([instructions.deposit(alice, mint)]);
    stories.ledger.add([instructions.applyPending(alice)]);
    stories.ledger.add([instructions.transfer(alice, mint, bob)]);
    stories.ledger.add([instructions.applyPending(bob)]);
    await (await takeOver(stories.database, stories.ledger)).turn();

    const records = await storedRecords(stories.database, stories.bound);
    expect(records.map(({ position, type }) => [position, type])).toEqual([
      [1, 'configure_account'],
      [2, 'configure_account'],
      [3, 'confidential_deposit'],
      [4, 'apply_pending_balance'],
      [5, 'confidential_transfer'],
      [6, 'apply_pending_balance'],
    ]);
    expect(records[4]).toMatchObject({ source: alice, destination: bob });
    expect(records[5]).toMatchObject({ source: bob });
    expect(await storedMint(stories.database, stories.bound)).toMatchObject({
      status: 'active',
      reason: null,
      recordCount: 6,
      latestSlot: stories.ledger.chain.at(-1)!.slot,
      latestSignature: stories.ledger.chain.at(-1)!.signature,
      isRegistered: true,
      isCaughtUp: true,
    });
  });

  it('stores null in the columns that do not apply to a record', async () => {
    openAccounts();
    stories.ledger.add([instructions.applyPending(alice)]);
    stories.ledger.add([instructions.updateMint(mint, otherKey)]);
    await (await takeOver(stories.database, stories.ledger)).turn();
    const records = await storedRecords(stories.database, stories.bound);
    expect(records.map(({ type, source, destination }) => [type, source, destination])).toEqual([
      ['configure_account', alice, null],
      ['configure_account', bob, null],
      ['apply_pending_balance', alice, null],
      ['update_mint', null, null],
    ]);
  });

  it('gives each instruction of a transaction its own record', async () => {
    openAccounts();
    const { signature } = stories.ledger.add([
      instructions.deposit(alice, mint),
      instructions.deposit(bob, mint),
      instructions.applyPending(alice),
    ]);
    await (await takeOver(stories.database, stories.ledger)).turn();
    const records = (await storedRecords(stories.database, stories.bound)).filter(
      (record) => record.signature === signature,
    );
    expect(records.map(({ path }) => path)).toEqual([
      [0, 0, 0],
      [1, 0, 0],
      [2, 0, 0],
    ]);
  });

  it('has no record of a failed transaction, and continues after it', async () => {
    openAccounts();
    stories.ledger.add([instructions.deposit(alice, mint)], { failed: true });
    stories.ledger.add([instructions.transfer(alice, mint, bob)]);
    await (await takeOver(stories.database, stories.ledger)).turn();
    expect(await typesOf()).toEqual(['configure_account', 'configure_account', 'confidential_transfer']);
  });

  it('excludes what belongs to another mint, even in the same transaction', async () => {
    openAccounts();
    const [stranger, otherMint] = [addressOf('stranger'), addressOf('other mint')];
    stories.ledger.add([
      instructions.configure(stranger, otherMint),
      instructions.applyPending(stranger),
      instructions.deposit(alice, mint),
    ]);
    await (await takeOver(stories.database, stories.ledger)).turn();
    expect(await typesOf()).toEqual(['configure_account', 'configure_account', 'confidential_deposit']);
  });

  it('no longer includes an account whose address another mint has taken over', async () => {
    openAccounts();
    stories.ledger.add([instructions.configure(alice, addressOf('other mint'))]);
    stories.ledger.add([instructions.applyPending(alice)]);
    stories.ledger.add([instructions.configure(alice, mint)]);
    stories.ledger.add([instructions.applyPending(alice)]);
    await (await takeOver(stories.database, stories.ledger)).turn();
    const last = stories.ledger.chain.at(-1)!.signature;
    const applied = (await storedRecords(stories.database, stories.bound)).filter(
      ({ type }) => type === 'apply_pending_balance',
    );
    expect(applied.map(({ signature }) => signature)).toEqual([last]);
  });

  it('lists which auditor key applies from which slot', async () => {
    openAccounts();
    const update = stories.ledger.add([instructions.updateMint(mint, otherKey)]);
    await (await takeOver(stories.database, stories.ledger)).turn();
    const keys = await stories.database.rows(sql<{ fromSlot: number; path: number[]; publicKey: Uint8Array }>`
      select from_slot as "fromSlot", path, public_key as "publicKey" from mint_auditor_keys
      where asset_id = ${stories.bound.assetId} order by from_slot, path`);
    expect(keys.map(({ fromSlot, path, publicKey }) => [fromSlot, path, [...publicKey]])).toEqual([
      [stories.ledger.chain[0]!.slot, [], [...auditorKey]],
      [update.slot, [0, 0, 0], [...otherKey]],
    ]);
  });
});

describe('a mint that does not match its registration', () => {
  it('stays pending while it is not on the ledger', async () => {
    const follower = await takeOver(stories.database, stories.ledger);
    await follower.turn();
    expect(await storedMint(stories.database, stories.bound)).toMatchObject({
      status: 'pending',
      reason: 'mint_not_found',
    });
    openAccounts();
    await follower.turn();
    expect(await storedMint(stories.database, stories.bound)).toMatchObject({
      status: 'active',
      reason: null,
      failures: 0,
    });
  });

  it('is an error with a reason, and not indexed, until it is fixed', async () => {
    stories.ledger.addMint(mint, otherKey);
    stories.ledger.addAccount(alice, mint);
    const follower = await takeOver(stories.database, stories.ledger);
    await follower.turn();
    expect(await storedMint(stories.database, stories.bound)).toMatchObject({
      status: 'error',
      reason: 'auditor_key_mismatch',
      recordCount: 0,
      isRegistered: false,
    });
    stories.ledger.setMint(mint, auditorKey);
    stories.ledger.add([instructions.updateMint(mint, auditorKey)]);
    await follower.turn();
    expect(await storedMint(stories.database, stories.bound)).toMatchObject({
      status: 'active',
      isRegistered: true,
    });
    expect(await typesOf()).toEqual(['configure_account', 'update_mint']);
  });

  it('is an error if it has the wrong number of decimals', async () => {
    stories.ledger.addMint(mint, auditorKey, 9);
    await (await takeOver(stories.database, stories.ledger)).turn();
    expect(await storedMint(stories.database, stories.bound)).toMatchObject({
      status: 'error',
      reason: 'decimals_mismatch',
    });
  });

  it('is indexed up to the change of its key, and resumes once the key is back', async () => {
    openAccounts();
    const follower = await takeOver(stories.database, stories.ledger);
    await follower.turn();
    stories.ledger.setMint(mint, otherKey);
    stories.ledger.add([instructions.updateMint(mint, otherKey)]);
    stories.ledger.add([instructions.deposit(alice, mint)]);
    await follower.turn();
    expect(await storedMint(stories.database, stories.bound)).toMatchObject({
      status: 'error',
      reason: 'auditor_key_mismatch',
    });
    expect((await typesOf()).slice(-1)).toEqual(['update_mint']);

    stories.ledger.setMint(mint, auditorKey);
    stories.ledger.add([instructions.updateMint(mint, auditorKey)]);
    await follower.turn();
    expect(await storedMint(stories.database, stories.bound)).toMatchObject({
      status: 'active',
      reason: null,
    });
    expect((await typesOf()).slice(-3)).toEqual(['update_mint', 'confidential_deposit', 'update_mint']);
  });

  it('is indexed up to the change of its key also by a worker that takes over later', async () => {
    openAccounts();
    await (await takeOver(stories.database, stories.ledger)).turn();
    stories.ledger.setMint(mint, otherKey);
    stories.ledger.add([instructions.deposit(alice, mint)]);
    stories.ledger.add([instructions.updateMint(mint, otherKey)]);
    stories.ledger.add([instructions.deposit(bob, mint)]);
    await (await takeOver(stories.database, stories.ledger)).turn();
    expect((await typesOf()).slice(-2)).toEqual(['confidential_deposit', 'update_mint']);
    expect(await storedMint(stories.database, stories.bound)).toMatchObject({
      status: 'error',
      reason: 'auditor_key_mismatch',
    });
  });
});

describe('a worker that dies', () => {
  const lastOf = async () =>
    (await storedRecords(stories.database, stories.bound)).map(({ signature }) => signature);

  function tellStory(): void {
    openAccounts();
    for (let round = 0; round < 4; round += 1) {
      stories.ledger.add([instructions.deposit(alice, mint), instructions.applyPending(alice)]);
      stories.ledger.add([instructions.transfer(alice, mint, bob)]);
      stories.ledger.add([instructions.applyPending(bob)]);
    }
  }

  it.each(['before', 'after'] as const)(
    'loses and duplicates no record if it dies %s any of its commits',
    async (moment) => {
      tellStory();
      let deaths = 0;
      for (let at = 1; ; at += 1) {
        const killed = databaseKilledAt(stories.database, at, moment);
        const follower = await takeOver(stories.database, stories.ledger, {
          foundation: indexerFoundation(killed),
        });
        await follower.turn();
        const { isCaughtUp } = await storedMint(stories.database, stories.bound);
        if (isCaughtUp) break;
        deaths += 1;
      }
      expect(deaths).toBeGreaterThan(3);
      const records = await storedRecords(stories.database, stories.bound);
      expect(records.map(({ position }) => position)).toEqual(records.map((_, index) => index + 1));
      expect(new Set(records.map(({ signature, path }) => `${signature}/${path.join('.')}`)).size).toBe(18);
      expect(records).toHaveLength(18);
    },
  );

  it('loses and duplicates no record if it dies after any of its reads', async () => {
    tellStory();
    let deaths = 0;
    for (let at = 1; !(await storedMint(stories.database, stories.bound)).isCaughtUp; at += 1) {
      let reads = 0;
      stories.ledger.onCall = () => {
        reads += 1;
        if (reads > at) throw new Crash();
      };
      await (await takeOver(stories.database, stories.ledger)).turn();
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(8);
    expect(await lastOf()).toHaveLength(18);
    expect((await storedRecords(stories.database, stories.bound)).map(({ position }) => position)).toEqual(
      Array.from({ length: 18 }, (_, index) => index + 1),
    );
  });

  it('writes nothing after it resumes, even if it assumes that it holds the lease', async () => {
    tellStory();
    const sleeper = await takeOver(stories.database, stories.ledger, { owner: 'sleeper' });
    await sleeper.turn();
    const heir = await takeOver(stories.database, stories.ledger, { owner: 'heir' });
    stories.ledger.add([instructions.deposit(bob, mint)]);
    await expect(sleeper.turn()).rejects.toBeInstanceOf(LeaseLost);
    expect(await lastOf()).toHaveLength(18);
    await heir.turn();
    expect(await lastOf()).toHaveLength(19);
  });

  it('is distinguished by its token from a later worker of the same name', async () => {
    tellStory();
    const first = await takeOver(stories.database, stories.ledger);
    await takeOver(stories.database, stories.ledger);
    await expect(first.turn()).rejects.toBeInstanceOf(LeaseLost);
  });
});
