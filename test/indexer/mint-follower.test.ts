import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql, type Database } from '../../src/database/index.js';
import { LedgerError } from '../../src/ledger/index.js';
import { LeaseLost } from '../../src/indexer/mint-lease.js';
import { createTestDatabase } from '../kit/database.js';
import { bindTestMint, storedMint, storedRecords, type BoundMint } from './bound-mint.js';
import { Crash, databaseKilledAt, indexerFoundation, takeOver } from './follower-kit.js';
import { addressOf, instructions, ScriptedLedger } from './scripted-ledger.js';

const mint = addressOf('mint');
const [alice, bob] = [addressOf('alice'), addressOf('bob')];
const auditorKey = new Uint8Array(32).fill(7);
const otherKey = new Uint8Array(32).fill(8);

let database: Database;
let ledger: ScriptedLedger;
let bound: BoundMint;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  await database.rows(sql`truncate assets cascade`);
  ledger = new ScriptedLedger();
  bound = await bindTestMint(database, mint, { auditorPublicKey: auditorKey });
});
afterAll(async () => database[Symbol.asyncDispose]());

function openAccounts(): void {
  ledger.addMint(mint, auditorKey);
  ledger.addAccount(alice, mint);
  ledger.addAccount(bob, mint);
}

const typesOf = async () => (await storedRecords(database, bound)).map(({ type }) => type);

describe('the past of a mint', () => {
  it('is indexed in the order of the ledger, with what names only an account learned on the way', async () => {
    openAccounts();
    ledger.add([instructions.deposit(alice, mint)]);
    ledger.add([instructions.applyPending(alice)]);
    ledger.add([instructions.transfer(alice, mint, bob)]);
    ledger.add([instructions.applyPending(bob)]);
    await (await takeOver(database, ledger)).turn();

    const records = await storedRecords(database, bound);
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
    expect(await storedMint(database, bound)).toMatchObject({
      status: 'active',
      reason: null,
      recordCount: 6,
      latestSlot: ledger.chain.at(-1)!.slot,
      latestSignature: ledger.chain.at(-1)!.signature,
      isRegistered: true,
      isCaughtUp: true,
    });
  });

  it('gives each instruction of one transaction its record', async () => {
    openAccounts();
    const { signature } = ledger.add([
      instructions.deposit(alice, mint),
      instructions.deposit(bob, mint),
      instructions.applyPending(alice),
    ]);
    await (await takeOver(database, ledger)).turn();
    const records = (await storedRecords(database, bound)).filter((record) => record.signature === signature);
    expect(records.map(({ path }) => path)).toEqual([
      [0, 0, 0],
      [1, 0, 0],
      [2, 0, 0],
    ]);
  });

  it('holds no record of a failed transaction, and goes on behind it', async () => {
    openAccounts();
    ledger.add([instructions.deposit(alice, mint)], { failed: true });
    ledger.add([instructions.transfer(alice, mint, bob)]);
    await (await takeOver(database, ledger)).turn();
    expect(await typesOf()).toEqual(['configure_account', 'configure_account', 'confidential_transfer']);
  });

  it('leaves out what belongs to another mint, even in the same transaction', async () => {
    openAccounts();
    const [stranger, otherMint] = [addressOf('stranger'), addressOf('other mint')];
    ledger.add([
      instructions.configure(stranger, otherMint),
      instructions.applyPending(stranger),
      instructions.deposit(alice, mint),
    ]);
    await (await takeOver(database, ledger)).turn();
    expect(await typesOf()).toEqual(['configure_account', 'configure_account', 'confidential_deposit']);
  });

  it('no longer counts an account in when another mint took its address over', async () => {
    openAccounts();
    ledger.add([instructions.configure(alice, addressOf('other mint'))]);
    ledger.add([instructions.applyPending(alice)]);
    ledger.add([instructions.configure(alice, mint)]);
    ledger.add([instructions.applyPending(alice)]);
    await (await takeOver(database, ledger)).turn();
    const last = ledger.chain.at(-1)!.signature;
    const applied = (await storedRecords(database, bound)).filter(
      ({ type }) => type === 'apply_pending_balance',
    );
    expect(applied.map(({ signature }) => signature)).toEqual([last]);
  });

  it('says which auditor key holds from which slot', async () => {
    openAccounts();
    const update = ledger.add([instructions.updateMint(mint, otherKey)]);
    await (await takeOver(database, ledger)).turn();
    const keys = await database.rows(sql<{ fromSlot: number; path: number[]; publicKey: Uint8Array }>`
      select from_slot as "fromSlot", path, public_key as "publicKey" from mint_auditor_keys
      where asset_id = ${bound.assetId} order by from_slot, path`);
    expect(keys.map(({ fromSlot, path, publicKey }) => [fromSlot, path, [...publicKey]])).toEqual([
      [ledger.chain[0]!.slot, [], [...auditorKey]],
      [update.slot, [0, 0, 0], [...otherKey]],
    ]);
  });
});

describe('a mint that is not as registered', () => {
  it('is waited for while it is not on the ledger', async () => {
    const follower = await takeOver(database, ledger);
    await follower.turn();
    expect(await storedMint(database, bound)).toMatchObject({ status: 'pending', reason: 'mint_not_found' });
    openAccounts();
    await follower.turn();
    expect(await storedMint(database, bound)).toMatchObject({ status: 'active', reason: null, failures: 0 });
  });

  it('is an error with the reason, and not indexed, until it is repaired', async () => {
    ledger.addMint(mint, otherKey);
    ledger.addAccount(alice, mint);
    const follower = await takeOver(database, ledger);
    await follower.turn();
    expect(await storedMint(database, bound)).toMatchObject({
      status: 'error',
      reason: 'auditor_key_mismatch',
      recordCount: 0,
      isRegistered: false,
    });
    ledger.setMint(mint, auditorKey);
    ledger.add([instructions.updateMint(mint, auditorKey)]);
    await follower.turn();
    expect(await storedMint(database, bound)).toMatchObject({ status: 'active', isRegistered: true });
    expect(await typesOf()).toEqual(['configure_account', 'update_mint']);
  });

  it('has the wrong number of decimals', async () => {
    ledger.addMint(mint, auditorKey, 9);
    await (await takeOver(database, ledger)).turn();
    expect(await storedMint(database, bound)).toMatchObject({ status: 'error', reason: 'decimals_mismatch' });
  });

  it('is shown once its key was rotated away, is still indexed, and is active after the way back', async () => {
    openAccounts();
    const follower = await takeOver(database, ledger);
    await follower.turn();
    ledger.setMint(mint, otherKey);
    ledger.add([instructions.updateMint(mint, otherKey)]);
    ledger.add([instructions.deposit(alice, mint)]);
    await follower.turn();
    expect(await storedMint(database, bound)).toMatchObject({
      status: 'error',
      reason: 'auditor_key_mismatch',
    });
    expect((await typesOf()).slice(-2)).toEqual(['update_mint', 'confidential_deposit']);

    ledger.setMint(mint, auditorKey);
    ledger.add([instructions.updateMint(mint, auditorKey)]);
    await follower.turn();
    expect(await storedMint(database, bound)).toMatchObject({ status: 'active', reason: null });
  });

  it('is still indexed by the worker that takes over while its key is rotated away', async () => {
    openAccounts();
    await (await takeOver(database, ledger)).turn();
    ledger.setMint(mint, otherKey);
    ledger.add([instructions.updateMint(mint, otherKey)]);
    await (await takeOver(database, ledger)).turn();
    expect((await typesOf()).at(-1)).toBe('update_mint');
    expect(await storedMint(database, bound)).toMatchObject({
      status: 'error',
      reason: 'auditor_key_mismatch',
    });
  });
});

describe('a ledger that cannot be believed', () => {
  it('shows on a new mint at once, and on an active one when it lasts', async () => {
    openAccounts();
    ledger.onCall = () => {
      throw new LedgerError('unreachable', 'down');
    };
    const follower = await takeOver(database, ledger);
    await follower.turn();
    expect(await storedMint(database, bound)).toMatchObject({
      status: 'pending',
      reason: 'ledger_unreachable',
      failures: 1,
    });
    ledger.onCall = () => undefined;
    await follower.turn();
    ledger.onCall = () => {
      throw new LedgerError('nonsense', 'gibberish');
    };
    await follower.turn();
    await follower.turn();
    expect(await storedMint(database, bound)).toMatchObject({ status: 'active', failures: 2 });
    await follower.turn();
    expect(await storedMint(database, bound)).toMatchObject({ status: 'pending', reason: 'ledger_nonsense' });
    ledger.onCall = () => undefined;
    await follower.turn();
    expect(await storedMint(database, bound)).toMatchObject({ status: 'active', reason: null, failures: 0 });
  });

  it('is never passed over where it names a transaction that it does not give', async () => {
    openAccounts();
    const withheld = ledger.add([instructions.deposit(alice, mint)]);
    ledger.add([instructions.transfer(alice, mint, bob)]);
    ledger.withheld.add(withheld.signature);
    const follower = await takeOver(database, ledger);
    for (let attempt = 0; attempt < 3; attempt += 1) await follower.turn();
    expect(await typesOf()).toEqual(['configure_account', 'configure_account']);
    expect(await storedMint(database, bound)).toMatchObject({
      status: 'error',
      reason: 'transaction_unavailable',
    });
    ledger.withheld.clear();
    await follower.turn();
    expect((await typesOf()).slice(2)).toEqual(['confidential_deposit', 'confidential_transfer']);
    expect(await storedMint(database, bound)).toMatchObject({ status: 'active', reason: null });
  });

  it('is not believed when a transaction contradicts its history', async () => {
    openAccounts();
    const honest = ledger.transactions.bind(ledger);
    ledger.transactions = async (signatures) =>
      (await honest(signatures)).map((read) =>
        read.status === 'found' ? { ...read, transaction: { ...read.transaction, failed: true } } : read,
      );
    await (await takeOver(database, ledger)).turn();
    expect(await storedMint(database, bound)).toMatchObject({ status: 'pending', reason: 'ledger_nonsense' });
    expect(await typesOf()).toEqual([]);
  });

  it('stops at an instruction in a form that nobody knows, without passing it', async () => {
    openAccounts();
    ledger.add([instructions.truncatedDeposit(alice, mint)]);
    ledger.add([instructions.deposit(alice, mint)]);
    const follower = await takeOver(database, ledger);
    await follower.turn();
    await follower.turn();
    expect(await typesOf()).toEqual(['configure_account', 'configure_account']);
    expect(await storedMint(database, bound)).toMatchObject({
      status: 'error',
      reason: 'undecodable_instruction',
    });
  });

  it('shows a gap when it has forgotten the frontier, and closes it when it remembers', async () => {
    openAccounts();
    const follower = await takeOver(database, ledger);
    await follower.turn();
    const [forgotten] = ledger.chain.slice(-1);
    ledger.add([instructions.deposit(alice, mint)]);
    const honest = ledger.list.bind(ledger);
    ledger.list = (address, page) => honest(address, page).filter(({ slot }) => slot > forgotten!.slot);
    await follower.turn();
    expect(await storedMint(database, bound)).toMatchObject({ status: 'error', reason: 'history_gap' });
    expect(await typesOf()).toEqual(['configure_account', 'configure_account']);

    ledger.list = honest;
    await follower.turn();
    expect(await storedMint(database, bound)).toMatchObject({ status: 'active', reason: null });
    expect((await typesOf()).at(-1)).toBe('confidential_deposit');
  });

  it('shows a gap when its history has no beginning, and reads the whole once it has', async () => {
    openAccounts();
    ledger.add([instructions.deposit(alice, mint)]);
    const honest = ledger.list.bind(ledger);
    // Pruned: what is older than the account of bob is gone.
    const pruned = ledger.chain[2]!.slot;
    ledger.list = (address, page) => honest(address, page).filter(({ slot }) => slot >= pruned);
    const follower = await takeOver(database, ledger);
    await follower.turn();
    expect(await storedMint(database, bound)).toMatchObject({ status: 'error', reason: 'history_gap' });
    expect(await typesOf()).toEqual(['configure_account', 'confidential_deposit']);

    ledger.list = honest;
    await follower.turn();
    expect(await storedMint(database, bound)).toMatchObject({
      status: 'active',
      reason: null,
      recordCount: 3,
    });
    expect(await typesOf()).toEqual(['configure_account', 'confidential_deposit', 'configure_account']);
  });

  it('is caught when it cuts a history in the middle of the walk', async () => {
    openAccounts();
    for (let index = 0; index < 1_500; index += 1) ledger.add([instructions.deposit(alice, mint)]);
    const honest = ledger.list.bind(ledger);
    ledger.list = (address, page) => (page.before === undefined ? honest(address, page) : []);
    const follower = await takeOver(database, ledger, { chunkSize: 500 });
    await follower.turn();
    expect(await storedMint(database, bound)).toMatchObject({ status: 'error', reason: 'history_gap' });
    ledger.list = honest;
    await follower.turn();
    expect(await storedMint(database, bound)).toMatchObject({ status: 'active', recordCount: 1_502 });
  });

  it('finds what a node listed late, close below the frontier', async () => {
    openAccounts();
    const late = ledger.add([instructions.deposit(alice, mint)]);
    ledger.add([instructions.deposit(bob, mint)]);
    const honest = ledger.list.bind(ledger);
    ledger.list = (address, page) =>
      honest(address, page).filter(({ signature }) => signature !== late.signature);
    const follower = await takeOver(database, ledger);
    await follower.turn();
    expect(await storedMint(database, bound)).toMatchObject({ recordCount: 3 });
    ledger.list = honest;
    await follower.turn();
    expect((await storedRecords(database, bound)).at(-1)).toMatchObject({
      position: 4,
      signature: late.signature,
    });
    expect(await storedMint(database, bound)).toMatchObject({ latestSlot: ledger.chain.at(-1)!.slot });
  });
});

describe('a worker that dies', () => {
  const lastOf = async () => (await storedRecords(database, bound)).map(({ signature }) => signature);

  function tellStory(): void {
    openAccounts();
    for (let round = 0; round < 4; round += 1) {
      ledger.add([instructions.deposit(alice, mint), instructions.applyPending(alice)]);
      ledger.add([instructions.transfer(alice, mint, bob)]);
      ledger.add([instructions.applyPending(bob)]);
    }
  }

  it.each(['before', 'after'] as const)('%s any of its commits loses and doubles nothing', async (moment) => {
    tellStory();
    let deaths = 0;
    for (let at = 1; ; at += 1) {
      const killed = databaseKilledAt(database, at, moment);
      const follower = await takeOver(database, ledger, { foundation: indexerFoundation(killed) });
      await follower.turn();
      const { isCaughtUp } = await storedMint(database, bound);
      if (isCaughtUp) break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(3);
    const records = await storedRecords(database, bound);
    expect(records.map(({ position }) => position)).toEqual(records.map((_, index) => index + 1));
    expect(new Set(records.map(({ signature, path }) => `${signature}/${path.join('.')}`)).size).toBe(18);
    expect(records).toHaveLength(18);
  });

  it('after any of its reads loses and doubles nothing', async () => {
    tellStory();
    let deaths = 0;
    for (let at = 1; !(await storedMint(database, bound)).isCaughtUp; at += 1) {
      let reads = 0;
      ledger.onCall = () => {
        reads += 1;
        if (reads > at) throw new Crash();
      };
      await (await takeOver(database, ledger)).turn();
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(8);
    expect(await lastOf()).toHaveLength(18);
    expect((await storedRecords(database, bound)).map(({ position }) => position)).toEqual(
      Array.from({ length: 18 }, (_, index) => index + 1),
    );
  });

  it('and comes back to life writes nothing more, however it believes to hold the lease', async () => {
    tellStory();
    const sleeper = await takeOver(database, ledger, { owner: 'sleeper' });
    await sleeper.turn();
    const heir = await takeOver(database, ledger, { owner: 'heir' });
    ledger.add([instructions.deposit(bob, mint)]);
    await expect(sleeper.turn()).rejects.toBeInstanceOf(LeaseLost);
    expect(await lastOf()).toHaveLength(18);
    await heir.turn();
    expect(await lastOf()).toHaveLength(19);
  });

  it('is told apart by its token from a later one of the same name', async () => {
    tellStory();
    const first = await takeOver(database, ledger);
    await takeOver(database, ledger);
    await expect(first.turn()).rejects.toBeInstanceOf(LeaseLost);
  });
});
