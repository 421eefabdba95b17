import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { generateElGamalKeypair } from '../../../src/platform/crypto/index.js';
import { MINTS_TOPIC } from '../../../src/domain/assets/index.js';
import { sql, type Database } from '../../../src/platform/database/index.js';
import { unavailable } from '../../../src/platform/kernel/errors.js';
import { systemRandom } from '../../../src/platform/kernel/random.js';
import { silentLog } from '../../../src/platform/kernel/log.js';
import { address, createLedger, type LedgerReader } from '../../../src/platform/ledger/index.js';
import { createWallet, startLocalLedger, type LocalLedger, type Wallet } from '../../../devnet/index.js';
import {
  createIndexer,
  createIndexerMetrics,
  type Indexer,
  type IndexerOptions,
} from '../../../src/domain/indexer/index.js';
import { atLeast, eventually } from '../../kit/eventually.js';
import { forwarderProgram } from '../../kit/ledger/forwarder-program.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { startFaultLedger, type FaultLedger } from '../../kit/ledger/fault-ledger.js';
import { bindTestMint, storedMint, storedRecords, type BoundMint } from './bound-mint.js';
import { indexerFoundation } from './follower-kit.js';
import { addressOf } from './scripted-ledger.js';

const auditor = generateElGamalKeypair(systemRandom);
const other = generateElGamalKeypair(systemRandom);
/** Short pauses. The stories do not depend on them. */
const timing = {
  pollIntervalMs: 100,
  claimIntervalMs: 100,
  announcedIntervalMs: 50,
  retry: { firstMs: 20, maxMs: 100 },
  recheckIntervalMs: 200,
  progressIntervalMs: 100,
};

let database: Database;
let localLedger: LocalLedger;
let node: FaultLedger;
let ledger: LedgerReader;
let wallet: Wallet;
const started: Indexer[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  localLedger = await startLocalLedger({ blockMs: 20 });
  node = await startFaultLedger({ upstream: localLedger });
  ledger = createLedger({
    rpcUrls: [node.rpcUrl],
    wsUrls: [node.wsUrl],
    timeoutMs: 2_000,
    rounds: 1,
    log: silentLog,
  });
  wallet = await createWallet({ rpcUrl: localLedger.rpcUrl });
});
afterAll(async () => {
  await ledger.close();
  await node[Symbol.asyncDispose]();
  await localLedger.close();
  await database[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await database.rows(sql`truncate assets, indexer_workers cascade`);
});
afterEach(async () => {
  node.heal();
  for (const indexer of started.splice(0)) await indexer.stop();
});

function start(options: Partial<IndexerOptions> = {}): Indexer {
  const indexer = createIndexer({
    foundation: indexerFoundation(database),
    ledger,
    instanceId: 'instance',
    timing,
    ...options,
  });
  indexer.start();
  started.push(indexer);
  return indexer;
}

const bind = (mint: string) =>
  bindTestMint(database, address(mint), { auditorPublicKey: auditor.publicKey, decimals: 2 });

const deploy = (options = {}) =>
  wallet.deployMint({ decimals: 2, auditorPublicKey: auditor.publicKey, ...options });

async function untilStored(bound: BoundMint, signature: string) {
  const records = await eventually(
    () => storedRecords(database, bound),
    (stored) => stored.some((record) => record.signature === signature),
  );
  return records.filter((record) => record.signature === signature);
}

const untilStatus = (bound: BoundMint, status: string) =>
  eventually(
    () => storedMint(database, bound),
    (stored) => stored.status === status,
  );

const typesOf = async (bound: BoundMint) => (await storedRecords(database, bound)).map(({ type }) => type);

describe('an indexer on a real ledger', () => {
  it('indexes every kind of confidential instruction, from before and after the binding', async () => {
    const mint = await deploy({ autoApproveNewAccounts: false });
    const [alice, bob] = [await mint.configureAccount('alice'), await mint.configureAccount('bob')];
    await mint.approveAccount(alice);
    await mint.approveAccount(bob);
    await alice.fund(5_000n);
    await alice.deposit(5_000n);
    await alice.applyPending();
    const bound = await bind(mint.address);
    start();
    await untilStatus(bound, 'active');

    const plain = await alice.transfer(bob, 100n);
    const [record] = await untilStored(bound, plain);
    expect(record).toMatchObject({
      type: 'confidential_transfer',
      source: alice.address,
      destination: bob.address,
    });
    expect(Buffer.from(record!.ciphertexts.auditor!.lo, 'base64')).toHaveLength(64);

    await bob.applyPending();
    await bob.withdraw(100n);
    await bob.allowConfidentialCredits(false);
    await bob.allowNonConfidentialCredits(false);
    const emptied = await bob.emptyAccount();
    await untilStored(bound, emptied);
    expect(await typesOf(bound)).toEqual([
      'configure_account',
      'configure_account',
      'approve_account',
      'approve_account',
      'confidential_deposit',
      'apply_pending_balance',
      'confidential_transfer',
      'apply_pending_balance',
      'confidential_withdraw',
      'credits_changed',
      'credits_changed',
      'empty_account',
    ]);
    const records = await storedRecords(database, bound);
    expect(records[4]!.publicData).toMatchObject({ amount: '5000', decimals: 2, authority: alice.owner });
    expect(records.map(({ position }) => position)).toEqual(records.map((_, index) => index + 1));
  }, 480_000);

  it('finds transfers in batches, in CPIs, and in each transaction version', async () => {
    const forwarder = addressOf('forwarder');
    localLedger.addProgram(forwarder, forwarderProgram());
    const mint = await deploy();
    const [alice, bob] = [await mint.configureAccount('alice'), await mint.configureAccount('bob')];
    await alice.fund(5_000n);
    await alice.deposit(5_000n);
    await alice.applyPending();
    const bound = await bind(mint.address);
    start();
    const [batched] = await untilStored(bound, await alice.transfer(bob, 1n, { batch: true }));
    expect(batched).toMatchObject({ type: 'confidential_transfer', path: [0, 0, 1] });
    const [called] = await untilStored(bound, await alice.transfer(bob, 2n, { through: forwarder }));
    expect(called).toMatchObject({ type: 'confidential_transfer', path: [0, 1, 0] });
    for (const version of ['legacy', 1] as const) {
      const [versioned] = await untilStored(bound, await alice.transfer(bob, 3n, { version }));
      expect(versioned).toMatchObject({ type: 'confidential_transfer', source: alice.address });
    }
  }, 480_000);

  it('indexes confidential mints and burns', async () => {
    const mint = await deploy({ confidentialMintBurn: true });
    const alice = await mint.configureAccount('alice');
    const bound = await bind(mint.address);
    start();
    const [minted] = await untilStored(bound, await mint.confidentialMint(alice, 700n));
    expect(minted).toMatchObject({ type: 'confidential_mint', destination: alice.address, source: null });
    await alice.applyPending();
    const [burnt] = await untilStored(bound, await alice.burn(300n));
    expect(burnt).toMatchObject({ type: 'confidential_burn', source: alice.address, destination: null });
  }, 480_000);

  it('claims a mint when the binding is signaled', async () => {
    const mint = await deploy();
    const foundation = indexerFoundation(database);
    start({ foundation, timing: { ...timing, claimIntervalMs: 3_600_000 } });
    await eventually(
      () => database.rows(sql`select from indexer_workers`),
      (workers) => workers.length > 0,
    );
    const bound = await bind(mint.address);
    foundation.signals.publish(MINTS_TOPIC);
    expect(await untilStatus(bound, 'active')).toMatchObject({ reason: null, leaseOwner: 'instance' });
  });

  it('is woken by an announcement, without waiting for the next poll', async () => {
    const mint = await deploy();
    const bound = await bind(mint.address);
    start({ timing: { ...timing, pollIntervalMs: 3_600_000 } });
    await untilStatus(bound, 'active');
    await mint.configureAccount('alice');
    await eventually(
      () => storedMint(database, bound),
      ({ recordCount }) => recordCount === 1,
    );
  });

  it('notices when the auditor key changes, and when it changes back', async () => {
    const mint = await deploy();
    const bound = await bind(mint.address);
    start();
    await untilStatus(bound, 'active');
    await mint.rotateAuditor(other.publicKey);
    expect(await untilStatus(bound, 'error')).toMatchObject({ reason: 'auditor_key_mismatch' });
    await mint.rotateAuditor(auditor.publicKey);
    expect(await untilStatus(bound, 'active')).toMatchObject({ reason: null });
    expect(await typesOf(bound)).toEqual(['update_mint', 'update_mint']);
  });

  it('does not accept a mint with another auditor key, or an address that is not a mint', async () => {
    const foreign = await wallet.deployMint({ decimals: 2, auditorPublicKey: other.publicKey });
    const bound = await bind(foreign.address);
    const nothing = await bind(wallet.address);
    start();
    expect(await untilStatus(bound, 'error')).toMatchObject({
      reason: 'auditor_key_mismatch',
      isRegistered: false,
    });
    expect(await untilStatus(nothing, 'error')).toMatchObject({ reason: 'not_token_2022' });
  });
});

describe('an indexer whose ledger fails', () => {
  it('reports the failure, stays up, and catches up when the ledger recovers', async () => {
    const mint = await deploy();
    const bound = await bind(mint.address);
    await node.goDown();
    const failed: string[] = [];
    start({
      metrics: { ...createIndexerMetrics(new Registry()), passFailed: (reason) => void failed.push(reason) },
    });
    await eventually(
      () => storedMint(database, bound),
      ({ reason }) => reason === 'ledger_unreachable',
    );
    expect(failed).toContain('ledger_unreachable');
    expect(await storedMint(database, bound)).toMatchObject({ status: 'pending' });
    await mint.configureAccount('alice');
    await node.comeBack();
    await untilStatus(bound, 'active');
    await eventually(
      () => storedMint(database, bound),
      ({ recordCount }) => recordCount === 1,
    );

    await node.goDown();
    await eventually(
      () => storedMint(database, bound),
      ({ status, reason }) => status === 'pending' && reason === 'ledger_unreachable',
    );
    await mint.configureAccount('bob');
    await node.comeBack();
    await eventually(
      () => storedMint(database, bound),
      ({ recordCount, status }) => recordCount === 2 && status === 'active',
    );
  });

  it('reports invalid ledger responses, and skips nothing', async () => {
    const mint = await deploy();
    const bound = await bind(mint.address);
    start();
    await untilStatus(bound, 'active');
    for (const result of [null, 17, [{ signature: 'x' }]]) {
      node.fail('getSignaturesForAddress', { kind: 'result', result });
      expect(await untilStatus(bound, 'pending')).toMatchObject({ reason: 'ledger_nonsense' });
      await mint.configureAccount();
      node.heal();
      await untilStatus(bound, 'active');
    }
    await eventually(
      () => storedMint(database, bound),
      ({ recordCount }) => recordCount === 3,
    );
  });

  it('waits for a transaction that the node lists but does not return', async () => {
    const mint = await deploy();
    const bound = await bind(mint.address);
    node.fail('getTransaction', { kind: 'result', result: null });
    start();
    expect(await untilStatus(bound, 'error')).toMatchObject({
      reason: 'transaction_unavailable',
      recordCount: 0,
    });
    node.heal();
    await untilStatus(bound, 'active');
  });
});

describe('an indexer whose database is unavailable', () => {
  it('stays up, and continues when it recovers', async () => {
    const mint = await deploy();
    const bound = await bind(mint.address);
    let isGone = true;
    let refused = 0;
    const refuse = () => {
      refused += 1;
      return Promise.reject(unavailable('The database cannot be reached.'));
    };
    const flaky: Database = {
      ...database,
      rows: (query) => (isGone ? refuse() : database.rows(query)),
      transaction: (work) => (isGone ? refuse() : database.transaction(work)),
    };
    const untilRefused = (count: number) => eventually(() => Promise.resolve(refused), atLeast(count));
    const indexer = start({ foundation: indexerFoundation(flaky) });
    await untilRefused(2);
    isGone = false;
    await untilStatus(bound, 'active');
    isGone = true;
    await mint.configureAccount();
    await untilRefused(refused + 3);
    isGone = false;
    await eventually(
      () => storedMint(database, bound),
      ({ recordCount }) => recordCount === 1,
    );
    expect(indexer.state.mints).toMatchObject([{ mintAddress: mint.address, status: 'active' }]);
  });
});

describe('several indexer workers', () => {
  it('share the mints, and take over from a dead worker', async () => {
    const bounds = [];
    for (let index = 0; index < 4; index += 1) bounds.push(await bind((await deploy()).address));
    // It never reports that it is alive, so it counts as dead from the beginning.
    await database.rows(sql`
      update indexed_mints set lease_owner = 'dead', lease_expires_at = now() + interval '300 milliseconds'`);
    const [one, two] = [start({ instanceId: 'one' }), start({ instanceId: 'two' })];
    for (const bound of bounds) await untilStatus(bound, 'active');
    await eventually(
      () => Promise.resolve([one.state.mints.length, two.state.mints.length]),
      ([ofOne, ofTwo]) => ofOne === 2 && ofTwo === 2,
    );
    await one.stop();
    await eventually(
      () => Promise.resolve(two.state.mints.length),
      (held) => held === 4,
    );
    expect(one.state).toEqual({ isRunning: false, mints: [] });
  });

  it('make room for another organization when they are full with mints of one organization', async () => {
    const theirs = [];
    for (let index = 0; index < 3; index += 1) theirs.push(await bind((await deploy()).address));
    const indexer = start({ capacity: 2 });
    await eventually(
      () => Promise.resolve(indexer.state.mints.length),
      (held) => held === 2,
    );
    const { publicKey } = generateElGamalKeypair(systemRandom);
    const { address: mint } = await deploy({ auditorPublicKey: publicKey });
    const ours = await bindTestMint(database, address(mint), { auditorPublicKey: publicKey, decimals: 2 });
    await untilStatus(ours, 'active');
    expect(indexer.state.mints.map(({ assetId }) => assetId)).toContain(ours.assetId);
    expect(theirs).toHaveLength(3);
  });

  it('release their mints when they stop', async () => {
    const bound = await bind((await deploy()).address);
    const indexer = start();
    await untilStatus(bound, 'active');
    await indexer.stop();
    expect(await storedMint(database, bound)).toMatchObject({ leaseOwner: null, status: 'active' });
    expect(await database.rows(sql`select from indexer_workers`)).toEqual([]);
  });
});
