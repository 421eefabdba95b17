import { beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/platform/database/index.js';
import { surrenderMint, verifyMint } from '../../../src/domain/indexer/mint-verification.js';
import { MintFollower } from '../../../src/domain/indexer/mint-follower.js';
import { DEFAULT_TIMING } from '../../../src/domain/indexer/indexer-timing.js';
import { claimMints, type MintLease } from '../../../src/domain/indexer/mint-lease.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { forFile } from '../../kit/for-file.js';
import { bindTestMint, expireLeases, storedMint, storedRecords, type BoundMint } from './bound-mint.js';
import { indexerFoundation, noMetrics } from './follower-kit.js';
import { addressOf, instructions, ScriptedLedger } from './scripted-ledger.js';

const mint = addressOf('mint');
const alice = addressOf('alice');
const bankKey = new Uint8Array(32).fill(7);
const squatterKey = new Uint8Array(32).fill(8);

let ledger: ScriptedLedger;
let bank: BoundMint;
let squatter: BoundMint;

const database = forFile(await createTestDatabase());
beforeEach(async () => {
  await database.rows(sql`truncate assets cascade`);
  ledger = new ScriptedLedger();
  // The squatter comes first.
  squatter = await bindTestMint(database, mint, { auditorPublicKey: squatterKey });
  bank = await bindTestMint(database, mint, { auditorPublicKey: bankKey });
  ledger.addMint(mint, bankKey);
  ledger.addAccount(alice, mint);
});

async function leaseOf({ assetId }: BoundMint): Promise<MintLease> {
  await expireLeases(database);
  const leases = await claimMints(database, { owner: `worker of ${assetId}`, durationMs: 60_000 }, 10);
  return leases.find((lease) => lease.assetId === assetId)!;
}

/** A new worker for that binding. */
async function follow(binding: BoundMint, recheckIntervalMs: number): Promise<MintFollower> {
  const lease = await leaseOf(binding);
  const timing = { ...DEFAULT_TIMING, recheckIntervalMs };
  const options = { ledger, lease, metrics: noMetrics(), timing, chunkSize: 3 };
  return new MintFollower({ foundation: indexerFoundation(database), ...options });
}

/** One turn of a new worker for that binding. */
const turn = async (binding: BoundMint) => (await follow(binding, 0)).turn();

const handOver = (key: Uint8Array) => {
  ledger.setMint(mint, key);
  ledger.add([instructions.updateMint(mint, key)]);
};
const typesOf = async (binding: BoundMint) =>
  (await storedRecords(database, binding)).map(({ type }) => type);

describe('a mint that several organizations bind', () => {
  it('is indexed for the one whose auditor key the ledger shows, even if another bound it first', async () => {
    await turn(squatter);
    await turn(bank);
    expect(await storedMint(database, bank)).toMatchObject({
      status: 'active',
      isVerified: true,
      recordCount: 1,
    });
    expect(await storedMint(database, squatter)).toMatchObject({
      status: 'error',
      reason: 'auditor_key_mismatch',
      isVerified: false,
      recordCount: 0,
    });
  });

  it('moves to another organization with its key: the first keeps everything up to the change, the other gets all of it', async () => {
    await turn(bank);
    handOver(squatterKey);
    ledger.add([instructions.deposit(alice, mint)]);
    await turn(squatter);
    expect(await storedMint(database, squatter)).toMatchObject({ status: 'active', isVerified: true });
    expect(await storedMint(database, bank)).toMatchObject({
      status: 'error',
      reason: 'auditor_key_mismatch',
    });
    await turn(bank);
    expect(await storedMint(database, bank)).toMatchObject({ isVerified: false, status: 'error' });
    expect(await typesOf(bank)).toEqual(['configure_account', 'update_mint']);
    expect(await typesOf(squatter)).toEqual(['configure_account', 'update_mint', 'confidential_deposit']);
  });

  it('keeps what happened under the key before the change, even if the other organization is faster', async () => {
    await turn(bank);
    ledger.add([instructions.deposit(alice, mint)]);
    handOver(squatterKey);
    await turn(squatter);
    await turn(bank);
    expect(await typesOf(bank)).toEqual(['configure_account', 'confidential_deposit', 'update_mint']);
    ledger.add([instructions.deposit(alice, mint)]);
    await turn(bank);
    expect(await typesOf(bank)).toHaveLength(3);
  });

  it('returns with its key, and then nothing is missing', async () => {
    await turn(bank);
    handOver(squatterKey);
    await turn(squatter);
    await turn(bank);
    ledger.add([instructions.deposit(alice, mint)]);
    handOver(bankKey);
    await turn(bank);
    expect(await storedMint(database, bank)).toMatchObject({ status: 'active', isVerified: true });
    expect(await storedMint(database, squatter)).toMatchObject({ isVerified: false });
    const all = ['configure_account', 'update_mint', 'confidential_deposit', 'update_mint'];
    expect(await typesOf(bank)).toEqual(all);
  });

  it('is not taken back because of a lagging node', async () => {
    const saw = async (binding: BoundMint, slot: number) =>
      verifyMint(database, await leaseOf(binding), slot);
    expect(await saw(bank, 100)).toBe(true);
    expect(await saw(squatter, 90)).toBe(false);
    expect(await storedMint(database, bank)).toMatchObject({ isVerified: true });
    expect(await saw(squatter, 110)).toBe(true);
    expect(await saw(bank, 105)).toBe(false);
    expect(await storedMint(database, squatter)).toMatchObject({ isVerified: true });
  });

  it.each([
    ['each turn', 0],
    ['once a minute', DEFAULT_TIMING.recheckIntervalMs],
  ])(
    'leaves with its key although one answer of a provider named an impossible slot, if it is checked %s',
    async (_, recheckIntervalMs) => {
      ledger.mints.set(mint, { ...ledger.mints.get(mint)!, slot: 2 ** 50 });
      const follower = await follow(bank, recheckIntervalMs);
      await follower.turn();
      const [{ slot } = { slot: Infinity }] = await database.rows(
        sql<{
          slot: number;
        }>`select verified_slot as slot from indexed_mints where asset_id = ${bank.assetId}`,
      );
      expect(slot).toBeLessThanOrEqual((await ledger.finalizedSlot()) + 150);
      ledger.add([instructions.deposit(alice, mint)]);
      handOver(squatterKey);
      await follower.turn();
      ledger.add([instructions.deposit(alice, mint)]);
      await follower.turn();
      await follower.turn();
      expect(await typesOf(bank)).toEqual(['configure_account', 'confidential_deposit', 'update_mint']);
      await turn(squatter);
      expect(await storedMint(database, squatter)).toMatchObject({ status: 'active', isVerified: true });
      expect(await typesOf(squatter)).toHaveLength(4);
    },
  );

  it('is not claimed by an organization that imported its auditor key', async () => {
    await database.rows(sql`
      insert into auditor_keys (organization_id, epoch, public_key, sealed_secret, imported, created_at)
      select organization_id, 2, ${bankKey}, ${new Uint8Array(1)}, true, now() from assets
      where id = ${squatter.assetId}`);
    await turn(squatter);
    await turn(bank);
    await database.rows(sql`delete from auditor_keys where imported`);
    expect(await storedMint(database, squatter)).toMatchObject({
      status: 'error',
      reason: 'auditor_key_mismatch',
      isVerified: false,
    });
    expect(await storedMint(database, bank)).toMatchObject({ status: 'active', isVerified: true });
  });

  it('is not taken from its organization by an observer', async () => {
    await database.rows(sql`update indexed_mints set observed = true where asset_id = ${squatter.assetId}`);
    await turn(squatter);
    await turn(bank);
    await turn(squatter);
    expect(await storedMint(database, bank)).toMatchObject({
      status: 'active',
      reason: null,
      isVerified: true,
    });
    expect(await storedMint(database, squatter)).toMatchObject({
      status: 'active',
      reason: 'auditor_key_mismatch',
      isVerified: false,
    });
    expect(await typesOf(squatter)).toEqual(await typesOf(bank));
  });

  it('has at most one verified binding, which the database enforces', async () => {
    await verifyMint(database, await leaseOf(bank), 100);
    await expect(
      database.rows(sql`update indexed_mints set verified = true where asset_id = ${squatter.assetId}`),
    ).rejects.toThrow();
    await surrenderMint(database, await leaseOf(bank), 100);
    await database.rows(sql`update indexed_mints set verified = true where asset_id = ${squatter.assetId}`);
  });
});
