import { sha256 } from '../../../platform/crypto/index.js';
import { type Foundation, query, type Transaction, valuesOf } from '../../../platform/database/index.js';
import { timestamp } from '../../../platform/kernel/clock.js';
import { conflict, forbidden } from '../../../platform/kernel/errors.js';
import { type Id, isId } from '../../../platform/kernel/ids.js';
import { canonicalJson, type JsonObject } from '../../../platform/kernel/encoding/json.js';
import {
  type Acting,
  type ActingPerson,
  lockOrganization,
  PERMISSION_OF_PROPOSED,
  type PermissionOfProposed,
  type ProposedOperation,
  ProposedOperationEntity,
  requireActingSession,
  requiresSecondPerson,
  WAIT_OF_PROPOSED_MS,
} from '../../access/index.js';
import { recordActivity } from '../../activity-log/index.js';

const PROPOSAL_LIFETIME_MS = 72 * 60 * 60_000;

export interface Proposal {
  readonly operation: ProposedOperation;
  /** Whether one person is enough for this input, because it gives nobody more access. */
  readonly onePerson?: boolean;
  /** The operation that both persons must request, as other members may read it. */
  readonly input: JsonObject;
  /** The application whose administrators may also request it. */
  readonly applicationId?: Id<'app'>;
  /** Whether the operation requires two persons regardless of the organization's rule. */
  readonly always?: boolean;
  /** Locks the rows of `work` that others lock before the organization. A different order could cause a deadlock. */
  readonly lockFirst?: (transaction: Transaction) => Promise<unknown>;
}

/**
 * Runs `work` in a transaction in which the caller still holds the permission of the operation. If a second person is required,
 * it runs only after another person proposed the same operation with the same input; `work` receives that person. The first call
 * records the proposal, logs it, and throws `CONFLICT` (`second_person_required`). Calls of one organization run one at a time.
 * The operator at the command line needs no second person.
 */
export async function withSecondPerson<Result>(
  { database, clock }: Pick<Foundation, 'database' | 'clock'>,
  { organizationId, actor, sessionId }: Acting,
  proposal: Proposal,
  work: (transaction: Transaction, proposedBy?: Id<'usr'>) => Promise<Result>,
): Promise<Result> {
  const { id: userId } = actor;
  if (!isId('usr', userId)) return database.transaction((transaction) => work(transaction));
  const outcome = await database.transaction(async (transaction) => {
    await proposal.lockFirst?.(transaction);
    await lockOrganization(transaction, organizationId);
    await requireHolderStill(transaction, proposal, { organizationId, userId, sessionId });
    if (proposal.onePerson === true) return { result: await work(transaction) };
    const required = await requiresSecondPerson(transaction, organizationId);
    if (!required && proposal.always !== true) return { result: await work(transaction) };
    const now = clock.now();
    const place = { ...proposal, organizationId, inputDigest: sha256(canonicalJson(proposal.input)) };
    const other = await takeProposalOfAnother(transaction, place, userId, now);
    if (other) {
      requireWaited(other.proposedAt, waitOf(proposal), now);
      return { result: await work(transaction, other.proposedBy) };
    }
    const { proposedAt, expiresAt } = await propose(transaction, place, proposal.input, userId, now);
    await recordActivity(transaction, {
      organizationId,
      eventType: 'operation.proposed',
      actor,
      object: { operation: proposal.operation },
      details: { input: canonicalJson(proposal.input), expires_at: timestamp(expiresAt) },
      at: now,
    });
    return { proposedAt };
  });
  if ('result' in outcome) return outcome.result;
  const waitMs = waitOf(proposal);
  const from = waitMs === 0 ? '' : `, from ${timestamp(waitedSince(outcome.proposedAt, waitMs))} on`;
  throw conflict(
    `Proposed. It takes effect when another person who may do this makes the same request within 72 hours${from}.`,
    { reason: 'second_person_required' },
  );
}

const waitOf = ({ operation }: Pick<Proposal, 'operation'>) => WAIT_OF_PROPOSED_MS[operation] ?? 0;

/** @throws `CONFLICT` before that time. The transaction is then rolled back, and the proposal stays. */
function requireWaited(proposedAt: Date, waitMs: number, now: Date): void {
  const from = waitedSince(proposedAt, waitMs);
  if (now < from)
    throw conflict(
      `Another person proposed this. You can make the same request from ${timestamp(from)} on.`,
      {
        reason: 'second_person_required',
      },
    );
}

const waitedSince = (proposedAt: Date, waitMs: number) => new Date(proposedAt.getTime() + waitMs);

interface Place extends Pick<Proposal, 'operation' | 'applicationId'> {
  readonly organizationId: Id<'org'>;
  readonly inputDigest: Uint8Array;
}

/**
 * A person who was removed or lost the permission while waiting for the lock decides nothing, neither alone nor with another, and
 * neither does a session that ended.
 */
async function requireHolderStill(
  transaction: Transaction,
  proposal: Proposal,
  person: ActingPerson,
): Promise<void> {
  const { organizationId, userId } = person;
  const held = await transaction.rows(holdersOf(organizationId, proposal).where('user_id', '=', userId));
  if (held.length === 0)
    throw forbidden(`You no longer hold the permission that ${proposal.operation} needs.`);
  await requireActingSession(transaction, person);
}

/** The members who may currently request the operation. */
function holdersOf(
  organizationId: Id<'org'>,
  { operation, applicationId }: Pick<Proposal, 'operation' | 'applicationId'>,
) {
  const { owner, administrator }: PermissionOfProposed = PERMISSION_OF_PROPOSED[operation];
  return query
    .selectFrom('permission_grants')
    .select('user_id')
    .where('organization_id', '=', organizationId)
    .where('user_id', 'in', (members) =>
      members
        .selectFrom('users')
        .select('id')
        .where('users.organization_id', '=', organizationId)
        .where('users.ended_at', 'is', null),
    )
    .where((grant) =>
      grant.or([
        ...(owner ? [grant.and({ bucket: 'owner', permission: owner })] : []),
        ...(administrator && applicationId
          ? [grant.and({ bucket: 'administrator', application_id: applicationId, permission: administrator })]
          : []),
      ]),
    );
}

/** Takes and deletes another member's proposal. It counts only while that member may still make the call. */
async function takeProposalOfAnother(
  transaction: Transaction,
  place: Place,
  userId: Id<'usr'>,
  now: Date,
): Promise<{ readonly proposedAt: Date; readonly proposedBy: Id<'usr'> } | undefined> {
  const { organizationId, operation, inputDigest } = place;
  const [taken] = await transaction.rows(
    query
      .deleteFrom('proposed_operations')
      .where('organization_id', '=', organizationId)
      .where('operation', '=', operation)
      .where('input_digest', '=', inputDigest)
      .where('proposed_by', '<>', userId)
      .where('expires_at', '>', now)
      .where('proposed_by', 'in', holdersOf(organizationId, place))
      .returning(['proposed_at as proposedAt', 'proposed_by as proposedBy']),
  );
  return taken;
}

/**
 * Stores the proposal. A person who repeats it keeps the time of the first one: otherwise, one person could let the others wait
 * without end.
 */
async function propose(
  transaction: Transaction,
  { organizationId, operation, inputDigest, applicationId }: Place,
  input: JsonObject,
  userId: Id<'usr'>,
  now: Date,
): Promise<{ readonly proposedAt: Date; readonly expiresAt: Date }> {
  const expiresAt = new Date(now.getTime() + PROPOSAL_LIFETIME_MS);
  await transaction.rows(
    query
      .deleteFrom('proposed_operations')
      .where('organization_id', '=', organizationId)
      .where('expires_at', '<=', now),
  );
  const [proposed] = await transaction.rows(
    query
      .insertInto('proposed_operations')
      .values(
        valuesOf(ProposedOperationEntity, {
          ...{ organizationId, operation, inputDigest, input, applicationId: applicationId ?? null },
          ...{ proposedBy: userId, proposedAt: now, expiresAt },
        }),
      )
      .onConflict((row) =>
        row.columns(['organization_id', 'operation', 'input_digest']).doUpdateSet((build) => ({
          proposed_by: userId,
          proposed_at: build
            .case()
            .when('proposed_operations.proposed_by', '=', userId)
            .then(build.ref('proposed_operations.proposed_at'))
            .else(now)
            .end(),
          expires_at: expiresAt,
        })),
      )
      .returning('proposed_at as proposedAt'),
  );
  return { proposedAt: proposed!.proposedAt, expiresAt };
}
