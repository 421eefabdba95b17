import { sha256 } from '../../../platform/crypto/index.js';
import { query, type Reader } from '../../../platform/database/index.js';
import { clientNetwork } from '../../../platform/kernel/client-network.js';
import { hex } from '../../../platform/kernel/encoding/bytes.js';
import { conflict, invalidMember, isLucarneError } from '../../../platform/kernel/errors.js';
import { changeStatus } from '../status/change-status.js';
import type { PoolCircuit } from '../pools/pool-descriptor.js';
import { inTurn, readRoom, requireRoom, type Admitted, type RelayDesk } from './relay-desk.js';
import { nullifierBytes, relaySignals, type RelaySignals } from '../packages/relay-identity.js';
import { canonicalBytes, parseRelayPackage } from '../packages/relay-package.js';
import type { RejectionReason } from '../relay-state.js';
import { clientHashOf } from '../relay-budget.js';
import type { RelayView } from '../status/relay-view.js';
import type { Relay } from '../relay.js';
import { logCreated, notAccepted, type Submission } from './insert-relays.js';
import { insertUnkept } from './insert-unkept.js';

/**
 * Accepts a package, or finds the request that already exists for it. Cheap checks come first. The proof is verified before the
 * nullifiers of other requests are read: a submitter without a valid proof learns nothing and reserves nothing.
 *
 * @param relayPackage The package as submitted.
 * @throws {LucarneError} BAD_USER_INPUT: `invalid_package`, `unsupported_signal_shape`, `unsupported_pool`. TOO_MANY_REQUESTS:
 *   `rate_limited`. UNAVAILABLE: `relayer_unavailable`, `low_balance`, `queue_at_capacity`. CONFLICT: `conflicting_payload`,
 *   with the same message for any request that holds a nullifier.
 */
export async function submitRelay(
  desk: RelayDesk,
  clientAddress: string,
  relayPackage: unknown,
): Promise<RelayView> {
  try {
    const { view, outcome } = await admit(desk, clientAddress, relayPackage);
    desk.metrics.submitted(outcome);
    return view;
  } catch (thrown) {
    if (isLucarneError(thrown)) desk.metrics.submitted('refused');
    throw thrown;
  }
}

async function admit(desk: RelayDesk, clientAddress: string, value: unknown): Promise<Admitted> {
  const { groups } = desk;
  const network = clientNetwork(clientAddress);
  // Count first, so that refused requests count too.
  await groups.countClient(network);
  const relayPackage = parseRelayPackage(value);
  const pool = desk.pools.get(relayPackage.poolSelector);
  if (!pool)
    throw invalidMember('poolSelector', 'must be the selector of a pool that this relayer serves', {
      reason: 'unsupported_pool',
    });
  const circuit = pool.circuits.get(relayPackage.zkConfigNonce);
  const signals = circuit && relaySignals(relayPackage, circuit);

  const canonical = canonicalBytes(relayPackage);
  const submission = {
    ...{ pool, relayPackage, canonical },
    digest: sha256(canonical),
    nullifiers: nullifiersOf(signals),
    clientHash: clientHashOf(desk.foundation.sealer, clientAddress),
  };
  // A repeated package needs no capacity, so it does not wait for these reads and does not fail if they fail.
  const { poolSelector } = pool;
  const reading = readRoom(desk, { network, poolSelector, clientHash: submission.clientHash });
  reading.catch(() => undefined);
  const repeated = await groups.findRepeated(submission);
  if (repeated) return { view: repeated, outcome: 'repeated' };
  const room = await reading;
  requireRoom(desk, room);
  if (room.refusal) throw room.refusal;

  // If equal packages arrive at the same time, only one is verified. It counts once in the pool's window.
  const key = hex.encode(submission.digest);
  const underWay = desk.deciding.get(key);
  if (underWay) return { view: await underWay.then(({ view }) => view), outcome: 'repeated' };
  const deciding = decide(desk, network, submission, circuit).finally(() => desk.deciding.delete(key));
  desk.deciding.set(key, deciding);
  return deciding;
}

async function decide(
  desk: RelayDesk,
  network: string,
  submission: Submission,
  circuit: PoolCircuit | undefined,
): Promise<Admitted> {
  const problem = await problemOf(desk, submission, circuit);
  if (problem === 'invalid_proof') await desk.groups.countInvalidProof(network);
  if (problem) return { view: await recordRejected(desk, submission, problem), outcome: 'rejected' };
  const { pool, nullifiers } = submission;
  const names = nullifiers.map((nullifier) => `${pool.programId} ${hex.encode(nullifier)}`);
  return inTurn(desk, names, () => take(desk, submission));
}

const nullifiersOf = (signals: RelaySignals | undefined) => (signals?.nullifiers ?? []).map(nullifierBytes);

/** The reason to reject the package, if there is one that does not depend on the ledger. */
async function problemOf(
  { proofs }: RelayDesk,
  { pool, relayPackage }: Submission,
  circuit: PoolCircuit | undefined,
): Promise<RejectionReason | undefined> {
  if (!circuit) return 'zk_config_missing';
  if (circuit.status === 'deprecated') return 'zk_config_deprecated';
  if (pool.instruction.data.includes('ciphertext') && relayPackage.ciphertext === null)
    return 'zk_config_incompatible';
  return (await proofs.verify(circuit.key, relayPackage)) ? undefined : 'invalid_proof';
}

/** Maximum number of tries of a submission while other requests acquire and release its nullifiers. */
const MAX_TRIES = 3;

/**
 * Counts the package for its pool, and takes its nullifiers. The pool's window, which all clients share, counts after the
 * client's window and only a package whose nullifiers are free, so that neither one client nor proofs that were used before
 * can use it up.
 */
async function take(desk: RelayDesk, submission: Submission): Promise<Admitted> {
  for (let tried = 0; tried < MAX_TRIES; tried += 1) {
    const accepted = await desk.groups.accept(submission);
    if (accepted) return { view: viewOf(accepted), outcome: 'accepted' };
    const repeated = await desk.groups.findRepeated(submission);
    if (repeated) return { view: repeated, outcome: 'repeated' };
    if (await isHeld(desk.foundation.database, submission))
      throw conflict('Another package was submitted for this operation.', { reason: 'conflicting_payload' });
  }
  throw notAccepted();
}

async function isHeld(reader: Reader, { pool, nullifiers }: Submission): Promise<boolean> {
  const [held] = await reader.rows(
    query
      .selectFrom('relay_nullifiers')
      .select('request_id')
      .where('program_id', '=', pool.programId)
      .where('nullifier', 'in', nullifiers)
      .limit(1),
  );
  return held !== undefined;
}

/**
 * A package that is rejected at admission holds no nullifier, belongs to no organization and is not kept. Anyone can submit
 * one, so its row is deleted after a day.
 */
async function recordRejected(
  { foundation }: RelayDesk,
  submission: Submission,
  reason: RejectionReason,
): Promise<RelayView> {
  return foundation.database.transaction(async (transaction) => {
    const relay = await insertUnkept(transaction, submission);
    transaction.afterCommit(() => logCreated(foundation, [relay]));
    const rejected = await changeStatus(transaction, foundation, relay, {
      to: 'rejected',
      reason,
      evidence: {},
    });
    if (!rejected) throw new Error('A request changed in the transaction that created it.');
    return viewOf(rejected);
  });
}

/** The view of a request that was just created. It has no attempt, and cannot be retried. */
function viewOf(relay: Relay): RelayView {
  return {
    relayRequestId: relay.id,
    status: relay.status,
    sequence: relay.sequence,
    createdAt: relay.createdAt,
    updatedAt: relay.updatedAt,
    retryAllowed: false,
    attemptNumber: null,
    transactionHash: null,
    publicReason: relay.reason,
    isNewest: true,
  };
}
