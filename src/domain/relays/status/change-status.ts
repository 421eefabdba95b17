import { query, sql, type Foundation, type Transaction, valuesOf } from '../../../platform/database/index.js';
import type { Signing } from '../../activity-log/index.js';
import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import { RELEASED } from '../../../platform/jobs/index.js';
import { recordEnd } from '../evidence/record-end.js';
import { DUE_RELAYS_TOPIC, relaysTopic, relayTopic, selectAttempts, type Relay } from '../relay.js';
import { RelayEventEntity } from '../relay.entity.js';
import { isRetryAllowed } from './retry-rule.js';
import { isTerminal, mayBecome, type RelayReason, type RelayStatus } from '../relay-state.js';

export interface StatusChange {
  readonly to: RelayStatus;
  /** Set if and only if the new status is `rejected` or `failed`. */
  readonly reason?: RelayReason;
  /** The evidence for the change: heights, signatures, the answer of each provider. It contains no part of the package. */
  readonly evidence: JsonObject;
  /** For `queued`: the attempt that begins. For an end: its attempt, if it is not the latest. */
  readonly attemptNumber?: number;
  /** The worker's fencing token: a worker that lost the lease changes nothing. */
  readonly fencingToken?: number;
  /** Time until the next look, for a request that has not ended. Default: at once. */
  readonly nextLookInMs?: number;
}

export interface StatusFoundation extends Pick<Foundation, 'signals'> {
  /** Signs the receipts of an end. Required only if the request ends and its package names an organization. */
  readonly signing?: Signing;
}

/**
 * Changes the status of a request and records the event, in one transaction. The database decides between concurrent changes:
 * returns `undefined` if the request no longer matches `relay`, or another worker holds the lease. An end releases the lease
 * and, if no transaction of the request can land anymore, its nullifiers.
 */
export async function changeStatus(
  transaction: Transaction,
  foundation: StatusFoundation,
  relay: Relay,
  change: StatusChange,
): Promise<Relay | undefined> {
  const { to, reason = null, evidence, fencingToken } = change;
  const { signals, signing } = foundation;
  if (!mayBecome(relay.status, to)) throw new Error(`A ${relay.status} relay request cannot become ${to}.`);
  const ended = isTerminal(to);
  const next = {
    status: to,
    reason,
    sequence: relay.sequence + 1,
    attemptNumber: change.attemptNumber ?? relay.attemptNumber,
    failedLooks: 0,
    waitingFor: null,
  };
  // The receipts of an end state its time, so every attempt to sign them uses the same time.
  const endedAt = signing?.signatures.kept<Date>('ended at');
  const [updated] = await transaction.rows(
    query
      .updateTable('relay_requests')
      .set({
        ...{ status: to, reason, sequence: next.sequence, attempt_number: next.attemptNumber },
        ...{ failed_looks: 0, waiting_for: null },
        // The findings about an earlier attempt say nothing about a new one.
        ...(to === 'submitted' ? { last_look: null, last_look_at: null } : {}),
        // Uses the clock of the database, which may have been set back since the last change.
        updated_at: sql<Date>`greatest(updated_at, coalesce(${endedAt ?? null}::timestamptz, clock_timestamp()))`,
        next_look_at: ended
          ? null
          : sql<Date>`now() + ${change.nextLookInMs ?? 0} * interval '1 millisecond'`,
        ...(ended ? RELEASED : {}),
      })
      .where('id', '=', relay.id)
      // A sequence number identifies one status.
      .where('sequence', '=', relay.sequence)
      .$if(fencingToken !== undefined, (requests) => requests.where('fencing_token', '=', fencingToken!))
      .returning('updated_at as updatedAt'),
  );
  if (!updated) return undefined;
  signing?.signatures.keep('ended at', updated.updatedAt);
  const owners = await transaction.rows(
    query
      .updateTable('relay_organizations')
      .set({ status: to })
      .where('request_id', '=', relay.id)
      .returning('organization_id as organizationId'),
  );
  const changed: Relay = { ...relay, ...next, updatedAt: updated.updatedAt };

  const attempts = await selectAttempts(transaction, relay.id);
  const current = attempts.find(({ number }) => number === changed.attemptNumber);
  await transaction.rows(
    query.insertInto('relay_events').values(
      valuesOf(RelayEventEntity, {
        ...{ requestId: relay.id, sequence: changed.sequence, status: to, reason, evidence },
        ...{ attemptNumber: changed.attemptNumber, signature: current?.signature ?? null },
        createdAt: changed.updatedAt,
      }),
    ),
  );
  if (ended) {
    const facts = attempts.map(({ outcome, evidence: proof }) => ({
      outcome,
      failure: proof?.['failure'] ?? null,
    }));
    const retryAllowed = isRetryAllowed({ status: to, reason, attempts: facts });
    if (to !== 'succeeded' && !retryAllowed)
      await transaction.rows(query.deleteFrom('relay_nullifiers').where('request_id', '=', relay.id));
    const organizationIds = owners.map(({ organizationId }) => organizationId).sort();
    if (organizationIds.length > 0) {
      if (!signing) throw new Error('The end of a relay has receipts, and nothing to sign them with.');
      await recordEnd(transaction, signing, changed, {
        ...{ organizationIds, evidence, latest: current ?? attempts.at(-1) },
      });
    }
  }
  transaction.afterCommit(() => {
    signals.publish(relayTopic(relay.id));
    for (const { organizationId } of owners) signals.publish(relaysTopic(organizationId));
    if (!ended) signals.publish(DUE_RELAYS_TOPIC);
  });
  return changed;
}
