import { Registry } from 'prom-client';
import { randomBytes } from 'node:crypto';
import type { CheckDesk } from '../../../src/domain/checks/index.js';
import { generateSigningKey, type Sealer } from '../../../src/platform/crypto/index.js';
import {
  query,
  sql,
  valuesOf,
  type Database,
  type Foundation,
  type Transaction,
} from '../../../src/platform/database/index.js';
import { type Signatures, withSignatures } from '../../../src/platform/keys/index.js';
import { base58 } from '../../../src/platform/kernel/encoding/bytes.js';
import type { StartTimer } from '../../../src/platform/kernel/clock.js';
import { newCapabilityId, type Id } from '../../../src/platform/kernel/ids.js';
import type {
  Address,
  LedgerNode,
  LedgerNodes,
  Signature,
  SignatureHints,
} from '../../../src/platform/ledger/index.js';
import {
  LOCAL_POOL_CIRCUIT,
  LOCAL_POOL_PROGRAM_ID,
  LOCAL_POOL_SELECTOR,
  LOCAL_POOLS_FILE,
  localPoolProgram,
  startLocalLedger,
  type LocalLedger,
} from '../../../devnet/index.js';
import { eventually } from '../../kit/eventually.js';
import { OUTPUT_ACCOUNTS, poolWithOutputsProgram } from '../../kit/ledger/pool-with-outputs.js';
import { buildMessage, nullifierAccounts } from '../../../src/domain/relays/execution/build-transaction.js';
import { changeStatus } from '../../../src/domain/relays/status/change-status.js';
import { parsePoolsFile, type PoolDescriptor } from '../../../src/domain/relays/pools/pool-descriptor.js';
import { relaySignals } from '../../../src/domain/relays/packages/relay-identity.js';
import type { RelayBudgets } from '../../../src/domain/relays/relay-budget.js';
import { createRelayMetrics, type RelayMetrics } from '../../../src/domain/relays/relay-metrics.js';
import {
  canonicalBytes,
  packageDigest,
  parseRelayPackage,
  type RelayPackage,
} from '../../../src/domain/relays/packages/relay-package.js';
import { createPayers, type Payers, type PayersOptions } from '../../../src/domain/relays/payers/payers.js';
import { keyPairSigner, type RelaySigner } from '../../../src/domain/relays/payers/relay-signer.js';
import { isTerminal } from '../../../src/domain/relays/relay-state.js';
import type { RelayTiming } from '../../../src/domain/relays/execution/relay-timing.js';
import { createRelayWorker, type RelayWorker } from '../../../src/domain/relays/execution/relay-worker.js';
import {
  findRelay,
  selectAttempts,
  type Relay,
  type RelayAttempt,
} from '../../../src/domain/relays/relay.js';
import { RelayEventEntity, RelayNullifierEntity } from '../../../src/domain/relays/relay.entity.js';
import { isRetryAllowed } from '../../../src/domain/relays/status/retry-rule.js';
import { sealPackage } from '../../../src/domain/relays/packages/sealed-package.js';
import { wireTransaction } from '../../../src/domain/relays/execution/transaction-terms.js';
import { deskWith } from '../checks/kit.js';
import { createTestDatabase } from '../../kit/database/database.js';
import { faultyNodes, type FaultPlan, type FaultyNodes } from '../../kit/ledger/faulty-nodes.js';
import { testFoundation } from '../../kit/seed.js';

/** Short waits, so that tests are fast. No test depends on their lengths. */
export const SHORT_TIMING: RelayTiming = {
  pollMs: 10,
  leaseDurationMs: 30_000,
  rebroadcastMs: 15,
  // Long, so that a busy machine does not make a provider slow.
  patienceMs: 30_000,
  backOff: { firstMs: 5, maxMs: 20 },
  maxFailedLooks: 5,
  validForMs: 60_000,
  // Zero, because tests let blocks pass at once.
  minBlockMs: 0,
  minSlotMs: 0,
  maxDoubtMs: 60_000,
};

/** A new key pair of 64 bytes. */
export const relayerKey = () => {
  const { secret, publicKey } = generateSigningKey();
  return Uint8Array.from([...secret, ...publicKey]);
};

export interface RelayRoomOptions {
  readonly finalizationDelayMs?: number;
  readonly database?: Database;
  readonly sealer?: Sealer;
  /** Whether the pool creates an account for each commitment. */
  readonly hasOutputs?: boolean;
}

export interface WorkerChanges {
  readonly timing?: Partial<RelayTiming>;
  /** Pays for all relays. */
  readonly signer?: RelaySigner;
  readonly payers?: Payers;
  readonly checkDesk?: CheckDesk;
  readonly pools?: ReadonlyMap<string, PoolDescriptor>;
  /** Default: one node without faults. */
  readonly nodes?: LedgerNodes;
  readonly hints?: SignatureHints;
  readonly metrics?: Partial<RelayMetrics>;
  readonly foundation?: Foundation;
  readonly startTimer?: StartTimer;
  readonly budgets?: RelayBudgets;
  readonly maxConcurrent?: number;
  readonly maxAtStores?: number;
}

export interface Event {
  readonly status: string;
  readonly reason: string | null;
  readonly sequence: number;
  readonly signature: string | null;
  readonly evidence: Record<string, unknown>;
}

/** A database, a local ledger with the pool, and nodes that can be made to fail. */
export interface RelayRoom extends AsyncDisposable {
  readonly foundation: Foundation;
  readonly ledger: LocalLedger;
  readonly pools: ReadonlyMap<string, PoolDescriptor>;
  readonly signer: RelaySigner;
  readonly keyPair: Uint8Array;
  /** A node without faults, to read the truth. */
  readonly honest: LedgerNode;
  /** Nodes of the room's ledger that can be made to fail. */
  nodes(count: number, plan?: FaultPlan): FaultyNodes;
  /** Creates an accepted request, as admission does. */
  submit(changes?: object, id?: Id<'rly'>): Promise<Id<'rly'>>;
  /** Payers whose balances the honest node returns. */
  payers(signers: readonly RelaySigner[], options?: Partial<PayersOptions>): Payers;
  /** A started worker. */
  worker(changes?: WorkerChanges): RelayWorker;
  /** Stops all workers, and abandons the requests that have not ended. */
  rest(): Promise<void>;
  read(id: Id<'rly'>): Promise<Relay>;
  attempts(id: Id<'rly'>): Promise<RelayAttempt[]>;
  events(id: Id<'rly'>): Promise<Event[]>;
  /** Waits until `isSo`. */
  until(id: Id<'rly'>, isSo: (relay: Relay) => boolean): Promise<Relay>;
  untilEnded(id: Id<'rly'>): Promise<Relay>;
  /** Starts another attempt, if it is allowed. */
  retry(id: Id<'rly'>): Promise<boolean>;
  /** Whether each of the request's nullifiers is spent on the ledger. */
  spent(id: Id<'rly'>): Promise<boolean[]>;
  /** Which of the request's signatures have landed on the ledger, by what they did. */
  landed(id: Id<'rly'>): Promise<{ succeeded: Signature[]; failed: Signature[] }>;
  /** Another party spends the nullifiers of the request. */
  spendElsewhere(id: Id<'rly'>, microLamportsPerUnit?: number): Promise<void>;
  /** Another party spends the nullifiers for other outputs. */
  spendForOthers(id: Id<'rly'>): Promise<void>;
}

let proofs = 0;
const word = (value: bigint) => value.toString(16).padStart(64, '0');
const anyField = () => BigInt(`0x${randomBytes(31).toString('hex')}`);

/** A package of the local pool that was not submitted before. */
const anyPackage = (changes?: object) =>
  packageOf([1n, 0n, 3n, anyField(), anyField(), anyField(), anyField()], changes);

function packageOf(signals: readonly bigint[], changes: object = {}): RelayPackage {
  return parseRelayPackage({
    version: 1,
    poolSelector: LOCAL_POOL_SELECTOR,
    zkConfigNonce: '3',
    proofBytes: Buffer.from(LOCAL_POOL_CIRCUIT.prove(signals, `proof ${(proofs += 1)}`)).toString('hex'),
    publicSignals: signals.map(word),
    applicationIdHints: [],
    ...changes,
  });
}

export async function localPools(changes: object = {}): Promise<ReadonlyMap<string, PoolDescriptor>> {
  const file = { pools: [{ ...LOCAL_POOLS_FILE.pools[0], ...changes }] };
  return parsePoolsFile(file, () => Promise.reject(new Error('There is no such file.')));
}

export async function openRelayRoom(options: RelayRoomOptions = {}): Promise<RelayRoom> {
  const parts = new AsyncDisposableStack();
  const database = options.database ?? parts.use(await createTestDatabase());
  const { finalizationDelayMs = 0, hasOutputs = false } = options;
  const ledger = parts.use(await startLocalLedger({ finalizationDelayMs }));
  ledger.addProgram(LOCAL_POOL_PROGRAM_ID, hasOutputs ? poolWithOutputsProgram() : localPoolProgram());
  // As on a cluster, slots are greater than block heights.
  ledger.skipSlots(1_000);
  const honest = parts.use(faultyNodes(ledger, 1)).nodes[0]!;
  const keyPair = relayerKey();
  const signer = keyPairSigner(keyPair);
  ledger.airdrop(signer.address, 10_000_000_000);
  const made = testFoundation(database);
  const foundation = { ...made, sealer: options.sealer ?? made.sealer };
  const [payer, nullifiers, system] = LOCAL_POOLS_FILE.pools[0].accounts;
  const pools = await localPools(
    hasOutputs ? { accounts: [payer, nullifiers, OUTPUT_ACCOUNTS, system] } : {},
  );
  const packages = new Map<Id<'rly'>, RelayPackage>();
  const workers = new Set<RelayWorker>();
  const stopAll = async () => {
    await Promise.all([...workers].map((worker) => worker.stop()));
    workers.clear();
  };
  parts.defer(stopAll);

  const nullifiersOf = (id: Id<'rly'>): Address[] => {
    const [pool, relayPackage] = [pools.get(LOCAL_POOL_SELECTOR)!, packages.get(id)!];
    return nullifierAccounts(pool, relaySignals(relayPackage, pool.circuits.get('3')!));
  };
  const room: RelayRoom = {
    ...{ foundation, ledger, pools, signer, keyPair, honest },
    nodes: (count, plan) => parts.use(faultyNodes(ledger, count, plan)),
    async submit(changes, id = newCapabilityId('rly')) {
      const relayPackage = anyPackage(changes);
      await insertAccepted(foundation, pools.get(LOCAL_POOL_SELECTOR)!, relayPackage, id);
      packages.set(id, relayPackage);
      return id;
    },
    payers: (signers, options = {}) =>
      createPayers({ signers, nodes: { nodes: [honest] }, clock: foundation.clock, ...options }),
    worker(changes = {}) {
      const worker = createRelayWorker({
        foundation: changes.foundation ?? foundation,
        nodes: changes.nodes ?? room.nodes(1),
        pools: changes.pools ?? pools,
        payers: changes.payers ?? room.payers([changes.signer ?? signer]),
        checkDesk: changes.checkDesk ?? deskWith(foundation),
        instanceId: randomBytes(8).toString('hex'),
        timing: { ...SHORT_TIMING, ...changes.timing },
        metrics: { ...createRelayMetrics(new Registry()), ...changes.metrics },
        ...(changes.hints && { hints: changes.hints }),
        ...(changes.startTimer && { startTimer: changes.startTimer }),
        ...(changes.budgets && { budgets: changes.budgets }),
        ...(changes.maxConcurrent && { maxConcurrent: changes.maxConcurrent }),
        ...(changes.maxAtStores && { maxAtStores: changes.maxAtStores }),
      });
      workers.add(worker);
      worker.start();
      return worker;
    },
    async rest() {
      await stopAll();
      await database.rows(sql`
        update relay_requests set next_look_at = now() + interval '1 day' where next_look_at is not null`);
    },
    async read(id) {
      return (await findRelay(database, id))!;
    },
    attempts: (id) => selectAttempts(database, id),
    events: (id) =>
      database.rows(sql<Event>`
        select status, reason, sequence, signature, evidence from relay_events
        where request_id = ${id} order by sequence`),
    until: (id, isSo) => eventually(() => room.read(id), isSo),
    untilEnded: (id) => room.until(id, ({ status }) => isTerminal(status)),
    retry: (id) => retry(foundation, id),
    async spent(id) {
      const { owners } = await honest.accountOwners(nullifiersOf(id), { commitment: 'confirmed' });
      return owners.map((owner) => owner === LOCAL_POOL_PROGRAM_ID);
    },
    landed: async (id) => landedOf(honest, await selectAttempts(database, id)),
    spendElsewhere: (id, microLamportsPerUnit = 0) =>
      spendElsewhere(ledger, honest, pools, packages.get(id)!, microLamportsPerUnit),
    spendForOthers: (id) => {
      const { signals } = packages.get(id)!;
      return spendElsewhere(
        ledger,
        honest,
        pools,
        packageOf([...signals.slice(0, 5), anyField(), anyField()]),
        0,
      );
    },
    [Symbol.asyncDispose]: async () => parts.disposeAsync(),
  };
  return room;
}

async function landedOf(honest: LedgerNode, attempts: readonly RelayAttempt[]) {
  const signatures = attempts.map(({ signature }) => signature);
  if (signatures.length === 0) return { succeeded: [], failed: [] };
  const { statuses } = await honest.signatureStatuses(signatures);
  return {
    succeeded: signatures.filter((_, at) => statuses[at]?.failure === null),
    failed: signatures.filter((_, at) => (statuses[at]?.failure ?? null) !== null),
  };
}

async function spendElsewhere(
  ledger: LocalLedger,
  honest: LedgerNode,
  pools: ReadonlyMap<string, PoolDescriptor>,
  relayPackage: RelayPackage,
  microLamportsPerUnit: number,
): Promise<void> {
  const other = keyPairSigner(relayerKey());
  ledger.airdrop(other.address, 1_000_000_000);
  const pool = pools.get(LOCAL_POOL_SELECTOR)!;
  const { blockhash } = await honest.latestBlockhash();
  const terms = { payer: other.address, blockhash, computeUnits: 200_000, microLamportsPerUnit };
  const message = buildMessage(
    pool,
    relayPackage,
    relaySignals(relayPackage, pool.circuits.get('3')!),
    terms,
  )!;
  const signature = await other.sign(message);
  await honest.send(wireTransaction(message, signature), base58.encode(signature) as Signature);
}

async function insertAccepted(
  { database, clock, sealer }: Foundation,
  pool: PoolDescriptor,
  relayPackage: RelayPackage,
  id: Id<'rly'>,
): Promise<void> {
  const at = clock.now();
  const { nullifiers } = relaySignals(relayPackage, pool.circuits.get(relayPackage.zkConfigNonce)!);
  await database.transaction(async (transaction) => {
    await transaction.rows(sql`
      insert into relay_requests (id, pool_selector, program_id, package_digest, sealed_package, status, sequence,
        next_look_at, created_at, updated_at)
      values (${id}, ${relayPackage.poolSelector}, ${pool.programId}, ${packageDigest(relayPackage)},
        ${sealPackage(sealer, id, canonicalBytes(relayPackage))}, 'accepted', 1, now(), ${at}, ${at})`);
    const event = { requestId: id, sequence: 1, status: 'accepted', evidence: {}, createdAt: at } as const;
    await transaction.rows(query.insertInto('relay_events').values(valuesOf(RelayEventEntity, event)));
    await transaction.rows(
      query.insertInto('relay_nullifiers').values(
        nullifiers.map((nullifier) =>
          valuesOf(RelayNullifierEntity, {
            programId: pool.programId,
            nullifier: new Uint8Array(Buffer.from(word(nullifier), 'hex')),
            requestId: id,
          }),
        ),
      ),
    );
  });
}

function retry(foundation: Foundation, id: Id<'rly'>): Promise<boolean> {
  const again = async (transaction: Transaction, signatures: Signatures) => {
    const relay = (await findRelay(transaction, id))!;
    const attempts = (await selectAttempts(transaction, id)).map(({ outcome, evidence }) => ({
      outcome,
      failure: evidence?.['failure'] ?? null,
    }));
    if (!isRetryAllowed({ status: relay.status, reason: relay.reason, attempts })) return false;
    const attemptNumber = (relay.attemptNumber ?? 0) + 1;
    const changed = await changeStatus(
      transaction,
      { ...foundation, signing: { ...foundation, signatures } },
      relay,
      {
        to: 'queued',
        evidence: {},
        attemptNumber,
      },
    );
    return changed !== undefined;
  };
  return withSignatures(foundation.signingKeys, (signatures) =>
    foundation.database.transaction((transaction) => again(transaction, signatures)),
  );
}

/** The same nodes, one of which answers differently. */
export const withNode = (nodes: LedgerNodes, at: number, changes: Partial<LedgerNode>): LedgerNodes => ({
  ...nodes,
  nodes: nodes.nodes.map((node, index) => (index === at ? { ...node, ...changes } : node)),
});
