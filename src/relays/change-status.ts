import type { Foundation, Transaction } from '../database/index.js';
import { sql } from '../database/index.js';
import type { JsonObject } from '../kernel/json.js';
import { recordEnd } from './record-end.js';
import { DUE_RELAYS_TOPIC, relayTopic, selectAttempts, type Relay } from './relay.js';
import { RelayEventEntity } from './relay.entity.js';
import { isRetryAllowed } from './retry-rule.js';
import { isTerminal, mayBecome, type RelayReason, type RelayStatus } from './relay-state.js';

export interface StatusChange {
  readonly to: RelayStatus;
  /** With `rejected` and `failed`, and only with them. */
  readonly reason?: RelayReason;
  /** What the change rests on: heights, signatures, what each provider answered. Nothing of the package. */
  readonly evidence: JsonObject;
  /** With `queued`: the attempt that begins. With an end: the attempt that it is the end of, when not the latest. */
  readonly attemptNumber?: number;
  /** The worker's fencing token: one who lost the lease changes nothing. */
  readonly fencingToken?: number;
  /** When to look again, for a request that has not ended; at once without it. */
  readonly nextLookInMilliseconds?: number;
}

/**
 * Changes the status of a request, with its event, in one transaction. The database decides between concurrent changes:
 * `undefined` when the request is not any more as `relay` says, or the lease is another's. An end gives up the lease
 * and, where nothing of the request can land any more, its nullifiers.
 */
export async function changeStatus(
  transaction: Transaction,
  foundation: Pick<Foundation, 'clock' | 'sealer' | 'signals'>,
  relay: Relay,
  change: StatusChange,
): Promise<Relay | undefined> {
  const { to, reason = null, evidence, fencingToken } = change;
  if (!mayBecome(relay.status, to)) throw new Error(`A ${relay.status} relay request cannot become ${to}.`);
  const at = foundation.clock.now();
  const ended = isTerminal(to);
  const changed: Relay = {
    ...relay,
    status: to,
    reason,
    sequence: relay.sequence + 1,
    attemptNumber: change.attemptNumber ?? relay.attemptNumber,
    failedLooks: 0,
    updatedAt: at,
  };
  const held = fencingToken === undefined ? sql`true` : sql`fencing_token = ${fencingToken}`;
  const [updated] = await transaction.rows(sql`
    update relay_requests set status = ${to}, reason = ${reason}, sequence = ${changed.sequence},
      attempt_number = ${changed.attemptNumber}, failed_looks = 0, updated_at = ${at},
      next_look_at = ${ended ? null : sql`now() + ${change.nextLookInMilliseconds ?? 0} * interval '1 millisecond'`},
      lease_owner = case when ${ended} then null else lease_owner end,
      lease_expires_at = case when ${ended} then null else lease_expires_at end
    where id = ${relay.id} and status = ${relay.status} and sequence = ${relay.sequence} and ${held}
    returning id`);
  if (!updated) return undefined;

  const attempts = await selectAttempts(transaction, relay.id);
  const current = attempts.find(({ number }) => number === changed.attemptNumber);
  await transaction.em.insert(RelayEventEntity, {
    requestId: relay.id,
    sequence: changed.sequence,
    status: to,
    reason,
    attemptNumber: changed.attemptNumber,
    signature: current?.signature ?? null,
    evidence,
    createdAt: at,
  });
  if (ended) {
    const failure = (evidenceOf: JsonObject | null) => evidenceOf?.['failure'] ?? null;
    const facts = attempts.map(({ outcome, evidence }) => ({ outcome, failure: failure(evidence) }));
    const retryAllowed = isRetryAllowed({ status: to, reason, attempts: facts });
    if (to !== 'succeeded' && !retryAllowed)
      await transaction.rows(sql`delete from relay_nullifiers where request_id = ${relay.id}`);
    await recordEnd(transaction, foundation, changed, current ?? attempts.at(-1), evidence);
  }
  transaction.afterCommit(() => {
    foundation.signals.publish(relayTopic(relay.id));
    if (!ended) foundation.signals.publish(DUE_RELAYS_TOPIC);
  });
  return changed;
}
