import { sha256 } from '../crypto/index.js';
import { jsonb, sql, type Foundation, type Transaction } from '../database/index.js';
import type { Id } from '../kernel/ids.js';
import { changeStatus } from './change-status.js';
import { holdRelay, LeaseLost } from './relay-lease.js';
import type { Conclusion, NewAttempt, RelayStep } from './relay-step.js';
import type { Relay } from './relay.js';
import { RelayAttemptEntity } from './relay.entity.js';

/**
 * Writes a change with what belongs to it: the signed bytes before anybody sends them, what is proven of an attempt
 * together with the end that follows.
 * @throws {LeaseLost} when the request is not the caller's any more: then nothing is written.
 */
export function recordStep(
  foundation: Foundation,
  relay: Relay,
  fencingToken: number,
  { change, attempt, conclusions = [] }: Extract<RelayStep, { readonly kind: 'change' }>,
): Promise<Relay> {
  return foundation.database.transaction(async (transaction) => {
    await holdRelay(transaction, { id: relay.id, fencingToken });
    if (attempt) await insertAttempt(transaction, relay.id, attempt);
    for (const conclusion of conclusions)
      await conclude(transaction, relay.id, conclusion, foundation.clock.now());
    const changed = await changeStatus(transaction, foundation, relay, { ...change, fencingToken });
    if (!changed) throw new LeaseLost();
    return changed;
  });
}

const SIGNATURE_BYTES = 1 + 64;

async function insertAttempt(
  transaction: Transaction,
  requestId: Id<'rly'>,
  attempt: NewAttempt,
): Promise<void> {
  const messageSha256 = sha256(attempt.transaction.subarray(SIGNATURE_BYTES));
  await transaction.em.insert(RelayAttemptEntity, {
    ...attempt,
    ...{ requestId, messageSha256, outcome: null, evidence: null, concludedAt: null },
  });
}

async function conclude(
  transaction: Transaction,
  requestId: Id<'rly'>,
  { number, outcome, evidence }: Conclusion,
  at: Date,
): Promise<void> {
  await transaction.rows(sql`
    update relay_attempts set outcome = ${outcome}, evidence = ${jsonb(evidence)}, concluded_at = ${at}
    where request_id = ${requestId} and number = ${number}`);
}
