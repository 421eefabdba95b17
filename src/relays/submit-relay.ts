import { sql, violatedConstraint, type Reader, type Transaction } from '../database/index.js';
import { hex } from '../kernel/bytes.js';
import { badUserInput, conflict, isLucarneError, unavailable } from '../kernel/errors.js';
import { idDigest, newCapabilityId, type Id } from '../kernel/ids.js';
import { changeStatus } from './change-status.js';
import type { PoolCircuit, PoolDescriptor } from './pool-descriptor.js';
import {
  clientWindow,
  count,
  poolWindow,
  requireCapacity,
  type Admitted,
  type RelayDesk,
} from './relay-desk.js';
import { relaySignals, type RelaySignals } from './relay-identity.js';
import { packageDigest, parseRelayPackage, type RelayPackage } from './relay-package.js';
import type { RejectionReason } from './relay-state.js';
import { findView, type RelayView } from './relay-view.js';
import { DUE_RELAYS_TOPIC, relayTopic, type Relay } from './relay.js';
import { sealPackage } from './sealed-package.js';

/**
 * Takes a package on, or finds the request that it is already. What is cheap comes first, and a proof is verified
 * before its nullifiers are looked at for anybody else's: whoever cannot prove learns nothing and holds nothing.
 *
 * @param given The package as it came.
 * @throws {LucarneError} BAD_USER_INPUT: `invalid_package`, `unsupported_signal_shape`, `unsupported_pool`.
 *   TOO_MANY_REQUESTS: `rate_limited`. UNAVAILABLE: `relayer_unavailable`, `low_balance`, `queue_at_capacity`.
 *   CONFLICT: `conflicting_payload`, the same whoever holds a nullifier.
 */
export async function submitRelay(
  desk: RelayDesk,
  clientAddress: string,
  given: unknown,
): Promise<RelayView> {
  try {
    const { view, outcome } = await admit(desk, clientAddress, given);
    desk.metrics.submitted(outcome);
    return view;
  } catch (thrown) {
    if (isLucarneError(thrown)) desk.metrics.submitted('refused');
    throw thrown;
  }
}

interface Submission {
  readonly pool: PoolDescriptor;
  readonly given: RelayPackage;
  readonly digest: Uint8Array;
  /** In ascending order, 32 bytes each; none where the circuit is not known. */
  readonly nullifiers: readonly Uint8Array[];
}

async function admit(desk: RelayDesk, clientAddress: string, value: unknown): Promise<Admitted> {
  const given = parseRelayPackage(value);
  const pool = desk.pools.get(given.poolSelector);
  if (!pool)
    throw badUserInput('poolSelector names no pool of this relayer.', { reason: 'unsupported_pool' });
  const circuit = pool.circuits.get(given.zkConfigNonce);
  const signals = circuit && relaySignals(given, circuit);
  await count(desk, clientWindow(desk, clientAddress), poolWindow(desk, pool.poolSelector));

  const submission = { pool, given, digest: packageDigest(given), nullifiers: nullifiersOf(signals) };
  const [repeated] = await Promise.all([
    findRepeated(desk.foundation.database, submission),
    requireCapacity(desk),
  ]);
  if (repeated) return { view: repeated, outcome: 'repeated' };

  // Of equal packages that arrive together, one is verified.
  const key = hex.encode(submission.digest);
  const underWay = desk.deciding.get(key);
  if (underWay) return { view: await underWay.then(({ view }) => view), outcome: 'repeated' };
  const deciding = decide(desk, submission, circuit).finally(() => desk.deciding.delete(key));
  desk.deciding.set(key, deciding);
  return deciding;
}

async function decide(
  desk: RelayDesk,
  submission: Submission,
  circuit: PoolCircuit | undefined,
): Promise<Admitted> {
  const problem = await problemOf(desk, submission, circuit);
  if (problem) return { view: await recordRejected(desk, submission, problem), outcome: 'rejected' };
  return take(desk, submission);
}

/** One order for all, so that two submissions never wait for each other. */
function nullifiersOf(signals: RelaySignals | undefined): Uint8Array[] {
  const words = (signals?.nullifiers ?? []).map((nullifier) => nullifier.toString(16).padStart(64, '0'));
  return words.sort().map((word) => new Uint8Array(Buffer.from(word, 'hex')));
}

/** Why nothing can come of the package, whatever the ledger says. */
async function problemOf(
  { proofs }: RelayDesk,
  { pool, given }: Submission,
  circuit: PoolCircuit | undefined,
): Promise<RejectionReason | undefined> {
  if (!circuit) return 'zk_config_missing';
  if (circuit.status === 'deprecated') return 'zk_config_deprecated';
  if (pool.instruction.data.includes('ciphertext') && given.ciphertext === null)
    return 'zk_config_incompatible';
  return (await proofs.verify(circuit.key, given)) ? undefined : 'invalid_proof';
}

/** The request that this package is already: nobody who has not the same package can find it. */
async function findRepeated(
  reader: Reader,
  { pool, digest, nullifiers }: Submission,
): Promise<RelayView | undefined> {
  const [first] = nullifiers;
  if (!first) return undefined;
  // A request holds all of its nullifiers, and an equal package has no others.
  const [held] = await reader.rows(sql<{ id: Id<'rly'> }>`
    select requests.id from relay_nullifiers as held join relay_requests as requests on requests.id = held.request_id
    where held.program_id = ${pool.programId} and held.nullifier = ${first}
      and requests.package_digest = ${digest}`);
  return held && findView(reader, held.id);
}

/** How often a submission is tried whose nullifiers another takes and gives up meanwhile. */
const TRIES = 3;

async function take(desk: RelayDesk, submission: Submission): Promise<Admitted> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const taken = await insertAccepted(desk, submission);
    if (taken) return { view: taken, outcome: 'accepted' };
    const repeated = await findRepeated(desk.foundation.database, submission);
    if (repeated) return { view: repeated, outcome: 'repeated' };
    if (await isHeld(desk.foundation.database, submission))
      throw conflict('Another package was submitted for this operation.', { reason: 'conflicting_payload' });
  }
  throw unavailable('The package could not be taken on. Try again.', {
    reason: 'relayer_unavailable',
    retryAfterSeconds: 1,
  });
}

/** The request with its nullifiers, or nothing at all: `undefined` when one of them is held. */
async function insertAccepted(
  { foundation }: RelayDesk,
  submission: Submission,
): Promise<RelayView | undefined> {
  try {
    return await foundation.database.transaction(async (transaction) => {
      const relay = await insertRequest(transaction, foundation, submission, true);
      transaction.afterCommit(() => {
        foundation.signals.publish(relayTopic(relay.id));
        foundation.signals.publish(DUE_RELAYS_TOPIC);
      });
      return viewOf(relay);
    });
  } catch (thrown) {
    if (violatedConstraint(thrown) === 'relay_nullifiers_pkey') return undefined;
    throw thrown;
  }
}

async function isHeld(reader: Reader, { pool, nullifiers }: Submission): Promise<boolean> {
  const [held] = await reader.rows(sql`
    select from relay_nullifiers where program_id = ${pool.programId}
      and nullifier in (${sql.join(nullifiers.map((nullifier) => sql`${nullifier}::bytea`))}) limit 1`);
  return held !== undefined;
}

/** What came to nothing at the door: it holds no nullifier, belongs to nobody, and its package is not kept. */
async function recordRejected(
  { foundation }: RelayDesk,
  submission: Submission,
  reason: RejectionReason,
): Promise<RelayView> {
  return foundation.database.transaction(async (transaction) => {
    const relay = await insertRequest(transaction, foundation, submission, false);
    const rejected = await changeStatus(transaction, foundation, relay, {
      to: 'rejected',
      reason,
      evidence: {},
    });
    if (!rejected) throw new Error('A request changed in the transaction that made it.');
    return viewOf(rejected);
  });
}

/** With the nullifiers that it holds and the organizations that it is for, unless its package is not kept. */
async function insertRequest(
  transaction: Transaction,
  { clock, sealer, log }: RelayDesk['foundation'],
  { pool, given, digest, nullifiers }: Submission,
  isKept: boolean,
): Promise<Relay> {
  const at = clock.now();
  const id = newCapabilityId('rly');
  const relay: Relay = {
    id,
    poolSelector: pool.poolSelector,
    programId: pool.programId,
    packageDigest: digest,
    status: 'accepted',
    reason: null,
    sequence: 1,
    attemptNumber: null,
    failedLooks: 0,
    createdAt: at,
    updatedAt: at,
  };
  // Due by the database's clock, by which workers claim.
  const request = sql`
    insert into relay_requests (id, pool_selector, program_id, package_digest, sealed_package, status, sequence,
      next_look_at, created_at, updated_at)
    values (${id}, ${relay.poolSelector}, ${relay.programId}, ${digest},
      ${isKept ? sealPackage(sealer, id, given) : null}, ${relay.status}, ${relay.sequence}, now(), ${at}, ${at})`;
  const event = sql`
    insert into relay_events (request_id, sequence, status, evidence, created_at)
    values (${id}, ${relay.sequence}, ${relay.status}, '{}', ${at})`;
  const held = nullifiers.map((nullifier) => sql`(${pool.programId}, ${nullifier}::bytea, ${id})`);
  const holding = sql`
    insert into relay_nullifiers (program_id, nullifier, request_id) values ${sql.join(held)}`;
  const belonging = sql`
    insert into relay_organizations (organization_id, request_id, accepted_at)
    select distinct organization_id, ${id}, ${at}::timestamptz from applications
    where check_application_id = any(${[...given.applicationIdHints]}::text[])`;
  // One statement: whoever submits waits for each.
  await transaction.rows(
    isKept
      ? sql`with request as (${request}), event as (${event}), nullifiers as (${holding}) ${belonging}`
      : sql`with request as (${request}) ${event}`,
  );
  // The id is a capability, and a log is read by many.
  transaction.afterCommit(() =>
    log.info({ relay: idDigest(id), pool: pool.poolSelector }, 'A relay request was made.'),
  );
  return relay;
}

/** Of a request that was just made: no attempt yet, and nothing to try again. */
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
