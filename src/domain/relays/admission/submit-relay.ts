import {
  columnsOf,
  jsonb,
  query,
  requireRoomInWindow,
  sql,
  violatedConstraint,
  type Reader,
  type Transaction,
} from '../../../platform/database/index.js';
import { hex } from '../../../platform/kernel/encoding/bytes.js';
import { conflict, invalidMember, isLucarneError, unavailable } from '../../../platform/kernel/errors.js';
import { idDigest, newCapabilityId, type Id } from '../../../platform/kernel/ids.js';
import { type Signatures, withSignatures } from '../../../platform/keys/index.js';
import { changeStatus } from '../status/change-status.js';
import { namedApplications, type PoolCircuit, type PoolDescriptor } from '../pools/pool-descriptor.js';
import {
  clientWindow,
  count,
  invalidProofWindow,
  poolWindow,
  requireBudget,
  requireCapacity,
  type Admitted,
  type RelayDesk,
} from './relay-desk.js';
import { relaySignals, type RelaySignals } from './relay-identity.js';
import { packageDigest, parseRelayPackage, type RelayPackage } from './relay-package.js';
import type { RejectionReason, RelayStatus } from '../status/relay-state.js';
import { clientHashOf } from '../relay-budget.js';
import { findView, type RelayView } from '../status/relay-view.js';
import { insertRelayEvent } from '../status/relay-event.js';
import { DUE_RELAYS_TOPIC, RELAY_PROPERTIES, relaysTopic, relayTopic, type Relay } from '../relay.js';
import { RelayRequestEntity } from '../relay.entity.js';
import { sealPackage } from './sealed-package.js';

/**
 * Accepts a package, or finds the request that it already is. Cheap checks come first, and the proof is verified before
 * other requests' nullifiers are looked at: a submitter who cannot prove learns nothing and holds nothing.
 *
 * @param relayPackage The package as submitted.
 * @throws {LucarneError} BAD_USER_INPUT: `invalid_package`, `unsupported_signal_shape`, `unsupported_pool`.
 *   TOO_MANY_REQUESTS: `rate_limited`. UNAVAILABLE: `relayer_unavailable`, `low_balance`, `queue_at_capacity`.
 *   CONFLICT: `conflicting_payload`, in the same words for any request that holds a nullifier.
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

interface Submission {
  readonly pool: PoolDescriptor;
  readonly given: RelayPackage;
  readonly digest: Uint8Array;
  /** In ascending order, 32 bytes each; empty for an unknown circuit. */
  readonly nullifiers: readonly Uint8Array[];
  /** Whose daily budget pays. */
  readonly clientHash: Uint8Array;
}

async function admit(desk: RelayDesk, clientAddress: string, value: unknown): Promise<Admitted> {
  // First, so that refusals count too.
  await count(desk, clientWindow(desk, clientAddress));
  const relayPackage = parseRelayPackage(value);
  const pool = desk.pools.get(relayPackage.poolSelector);
  if (!pool)
    throw invalidMember('poolSelector', 'is not a pool of this relayer', { reason: 'unsupported_pool' });
  const circuit = pool.circuits.get(relayPackage.zkConfigNonce);
  const signals = circuit && relaySignals(relayPackage, circuit);

  const submission = {
    pool,
    given: relayPackage,
    digest: packageDigest(relayPackage),
    nullifiers: nullifiersOf(signals),
    clientHash: clientHashOf(desk.foundation.sealer, clientAddress),
  };
  const repeated = await findRepeated(desk.foundation.database, submission);
  if (repeated) return { view: repeated, outcome: 'repeated' };
  await requireCapacity(desk);
  await requireBudget(desk, pool.poolSelector, submission.clientHash);
  await requireRoomInWindow(desk.foundation, invalidProofWindow(desk, clientAddress));

  // Of equal packages that arrive at the same time, only one is verified.
  const key = hex.encode(submission.digest);
  const underWay = desk.deciding.get(key);
  if (underWay) return { view: await underWay.then(({ view }) => view), outcome: 'repeated' };
  const deciding = decide(desk, clientAddress, submission, circuit).finally(() => desk.deciding.delete(key));
  desk.deciding.set(key, deciding);
  return deciding;
}

async function decide(
  desk: RelayDesk,
  clientAddress: string,
  submission: Submission,
  circuit: PoolCircuit | undefined,
): Promise<Admitted> {
  const problem = await problemOf(desk, submission, circuit);
  if (problem === 'invalid_proof') await count(desk, invalidProofWindow(desk, clientAddress));
  if (problem) return { view: await recordRejected(desk, submission, problem), outcome: 'rejected' };
  await count(desk, poolWindow(desk, submission.pool.poolSelector));
  return take(desk, submission);
}

/** In one order for all submissions, so that two never wait for each other. */
function nullifiersOf(signals: RelaySignals | undefined): Uint8Array[] {
  const words = (signals?.nullifiers ?? []).map((nullifier) => nullifier.toString(16).padStart(64, '0'));
  return words.sort().map((word) => new Uint8Array(Buffer.from(word, 'hex')));
}

/** Why the package is rejected whatever the ledger says. */
async function problemOf(
  { proofs }: RelayDesk,
  { pool, given: relayPackage }: Submission,
  circuit: PoolCircuit | undefined,
): Promise<RejectionReason | undefined> {
  if (!circuit) return 'zk_config_missing';
  if (circuit.status === 'deprecated') return 'zk_config_deprecated';
  if (pool.instruction.data.includes('ciphertext') && relayPackage.ciphertext === null)
    return 'zk_config_incompatible';
  return (await proofs.verify(circuit.key, relayPackage)) ? undefined : 'invalid_proof';
}

/** The request that this package already is. Only a submitter of the same package can find it. */
async function findRepeated(
  reader: Reader,
  { pool, digest, nullifiers }: Submission,
): Promise<RelayView | undefined> {
  const [first] = nullifiers;
  if (!first) return undefined;
  // A request holds all of its nullifiers, and an equal package has the same ones.
  const [held] = await reader.rows(
    query
      .selectFrom('relay_nullifiers as held')
      .innerJoin('relay_requests as requests', 'requests.id', 'held.request_id')
      .select('requests.id')
      .where('held.program_id', '=', pool.programId)
      .where('held.nullifier', '=', first)
      .where('requests.package_digest', '=', digest),
  );
  return held && findView(reader, held.id);
}

/** Tries of a submission while other requests take and release its nullifiers. */
const MAX_TRIES = 3;

async function take(desk: RelayDesk, submission: Submission): Promise<Admitted> {
  for (let tried = 0; tried < MAX_TRIES; tried += 1) {
    const taken = await insertAccepted(desk, submission);
    if (taken) return { view: taken, outcome: 'accepted' };
    const repeated = await findRepeated(desk.foundation.database, submission);
    if (repeated) return { view: repeated, outcome: 'repeated' };
    if (await isHeld(desk.foundation.database, submission))
      throw conflict('Another package was submitted for this operation.', { reason: 'conflicting_payload' });
  }
  throw unavailable('The package could not be accepted. Try again.', {
    reason: 'relayer_unavailable',
    retryAfterSeconds: 1,
  });
}

/** Inserts the request with its nullifiers; `undefined` and nothing written when one of them is held. */
async function insertAccepted(
  { foundation }: RelayDesk,
  submission: Submission,
): Promise<RelayView | undefined> {
  try {
    return await foundation.database.transaction(async (transaction) => {
      const { relay, organizationIds } = await insertRequest(transaction, foundation, submission, true);
      transaction.afterCommit(() => {
        foundation.signals.publish(relayTopic(relay.id));
        for (const id of organizationIds) foundation.signals.publish(relaysTopic(id));
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
 * A package that is rejected at admission holds no nullifier, belongs to no organization and is not kept. Anyone can
 * submit one, so its row is deleted after a day.
 */
async function recordRejected(
  { foundation }: RelayDesk,
  submission: Submission,
  reason: RejectionReason,
): Promise<RelayView> {
  const reject = async (transaction: Transaction, signatures: Signatures) => {
    const { relay } = await insertRequest(transaction, foundation, submission, false);
    const rejected = await changeStatus(transaction, { ...foundation, signatures }, relay, {
      to: 'rejected',
      reason,
      evidence: {},
    });
    if (!rejected) throw new Error('A request changed in the transaction that created it.');
    // The tables are append-only otherwise: the function deletes nothing else. Raw: it is a call, of no table.
    await transaction.rows(sql`select forget_refused_relays()`);
    return viewOf(rejected);
  };
  return withSignatures(foundation.signingKeys, (signatures) =>
    foundation.database.transaction((transaction) => reject(transaction, signatures)),
  );
}

/** With the nullifiers that it holds and the organizations that it is for, unless its package is not kept. */
async function insertRequest(
  transaction: Transaction,
  { sealer, log }: RelayDesk['foundation'],
  { pool, given: relayPackage, digest, nullifiers, clientHash }: Submission,
  isKept: boolean,
): Promise<{ readonly relay: Relay; readonly organizationIds: readonly Id<'org'>[] }> {
  const id = newCapabilityId('rly');
  const { programId, poolSelector } = pool;
  const now = sql<Date>`clock_timestamp()`;
  // One statement: the submitter waits for each. The time is the database's, by which workers claim.
  const written = query
    .with('request', (cte) =>
      cte
        .insertInto('relay_requests')
        .values({
          ...{ id, pool_selector: poolSelector, program_id: programId, package_digest: digest },
          sealed_package: isKept ? sealPackage(sealer, id, relayPackage) : null,
          client_hash: isKept ? clientHash : null,
          ...{ status: 'accepted', sequence: 1, next_look_at: sql<Date>`now()` },
          ...{ failed_looks: 0, fencing_token: 0, created_at: now, updated_at: now },
        })
        .returning(columnsOf(RelayRequestEntity, RELAY_PROPERTIES)),
    )
    .with('event', () =>
      insertRelayEvent({
        ...{ request_id: id, sequence: 1, status: 'accepted' },
        evidence: jsonb({}),
        created_at: sql<Date>`(select "createdAt" from request)`,
      }),
    );
  const named = isKept ? namedApplications(pool, relayPackage.applicationIdHints) : [];
  const [inserted] = await transaction.rows(
    isKept
      ? written
          .with('nullifiers', (cte) =>
            cte
              .insertInto('relay_nullifiers')
              .values(nullifiers.map((nullifier) => ({ program_id: programId, nullifier, request_id: id }))),
          )
          .with('organizations', (cte) =>
            cte
              .insertInto('relay_organizations')
              .columns(['organization_id', 'request_id', 'accepted_at', 'pool_selector', 'status'])
              .expression(namedOrganizations(id, named))
              .returning('organization_id'),
          )
          .with('applications_named', (cte) =>
            cte
              .insertInto('relay_applications')
              .columns(['application_id', 'request_id', 'organization_id', 'accepted_at'])
              .expression(
                rowsOfNamed(named).select([
                  'id',
                  sql<Id<'rly'>>`${id}`.as('request_id'),
                  'organization_id',
                  ACCEPTED_AT,
                ]),
              ),
          )
          .selectFrom('request')
          .selectAll()
          .select(sql<Id<'org'>[]>`array(select organization_id from organizations)`.as('organizationIds'))
      : written
          .selectFrom('request')
          .selectAll()
          .select(sql<Id<'org'>[]>`'{}'::text[]`.as('organizationIds')),
  );
  const { organizationIds, ...relay } = inserted as Relay & { readonly organizationIds: Id<'org'>[] };
  // The id is a capability, and logs have many readers.
  transaction.afterCommit(() =>
    log.info({ relay: idDigest(id), pool: pool.poolSelector }, 'Relay request created.'),
  );
  return { relay, organizationIds };
}

const ACCEPTED_AT = sql<Date>`(select "createdAt" from request)`.as('accepted_at');

const rowsOfNamed = (checkApplicationIds: readonly string[]) =>
  query
    .selectFrom('applications')
    .where('check_application_id', '=', sql<string>`any(${[...checkApplicationIds]}::text[])`);

/** A hint writes nothing into the log of an organization that does not serve the pool. */
const namedOrganizations = (id: Id<'rly'>, checkApplicationIds: readonly string[]) =>
  rowsOfNamed(checkApplicationIds)
    .select([
      'organization_id',
      sql<Id<'rly'>>`${id}`.as('request_id'),
      ACCEPTED_AT,
      sql<string>`(select "poolSelector" from request)`.as('pool_selector'),
      sql<RelayStatus>`(select status from request)`.as('status'),
    ])
    .distinct();

/** The view of a request that was just created: no attempt yet, and nothing to try again. */
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
