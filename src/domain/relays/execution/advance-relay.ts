import { query, type Reader, sql } from '../../../platform/database/index.js';
import { unreachable } from '../../../platform/kernel/unreachable.js';
import { lookAtAttempts, reconciling } from './look-at-attempts.js';
import { prepareRelay } from './prepare-relay.js';
import type { RelayContext, RelayStep, RelayWork } from './relay-step.js';
import type { Relay } from '../relay.js';
import { sendAttempt } from './send-attempt.js';
import { validateRelay } from './validate-relay.js';

export interface Advance {
  /** Whether this is the first step after taking the request over from a worker that did not release it. */
  readonly isTakenOver: boolean;
  /** Whether the previous step of the same worker stored a new attempt. */
  readonly isUnsent: boolean;
}

/** The next step of a request in progress, by its status. */
export async function advanceRelay(
  context: RelayContext,
  work: RelayWork,
  { isTakenOver, isUnsent }: Advance,
): Promise<RelayStep> {
  const { relay } = work;
  switch (relay.status) {
    case 'validating': {
      const validation = await validateRelay(context, work);
      if (validation.kind === 'not_valid') return validation.step;
      const { evidence } = validation;
      return { kind: 'change', change: { to: 'queued', attemptNumber: 1, evidence } };
    }
    case 'queued':
      return prepareValid(context, work);
    case 'submitted': {
      const latest = work.attempts.at(-1);
      if (!latest) throw new Error('A submitted relay request has an attempt.');
      if (isTakenOver) return { kind: 'change', change: reconciling('taken_over', latest, {}, context) };
      if (!isUnsent) return disagreementReconciles(context, work, await lookAtAttempts(context, work));
      const { isTaken, evidence } = await sendAttempt(context, latest);
      if (isTaken) {
        const inMs = context.timing.rebroadcastMs;
        return { kind: 'look_again', inMs, waitingFor: 'landing', evidence: { sent: evidence } };
      }
      return { kind: 'change', change: reconciling('send_unseen', latest, { nodes: evidence }, context) };
    }
    case 'reconciling':
      return lookAtAttempts(context, work);
    case 'accepted':
    case 'succeeded':
    case 'rejected':
    case 'failed':
      throw new Error(`A relay request that is ${relay.status} has no step on the ledger.`);
    default:
      return unreachable(relay.status);
  }
}

/** Validates an attempt again if the request was never validated, or was validated too long ago. */
async function prepareValid(context: RelayContext, work: RelayWork): Promise<RelayStep> {
  const { database } = context.foundation;
  if (!(await isValidStill(database, work.relay, context.timing.validForMs))) {
    const validation = await validateRelay(context, work);
    if (validation.kind === 'not_valid') return validation.step;
  }
  return prepareRelay(context, work);
}

/** By the clock of the database, as the time of the event. */
async function isValidStill(reader: Reader, { id, sequence }: Relay, validForMs: number): Promise<boolean> {
  const [event] = await reader.rows(
    query
      .selectFrom('relay_events')
      .select('evidence')
      .where('request_id', '=', id)
      .where('sequence', '=', sequence)
      .where('created_at', '>', sql<Date>`clock_timestamp() - ${validForMs} * interval '1 millisecond'`),
  );
  return event?.evidence['validated'] === true;
}

function disagreementReconciles(context: RelayContext, work: RelayWork, step: RelayStep): RelayStep {
  const latest = work.attempts.at(-1);
  if (step.kind !== 'found_nothing' || step.cause !== 'providers_disagree' || !latest) return step;
  context.metrics.providersDisagreed();
  return { kind: 'change', change: reconciling('providers_disagree', latest, step.evidence, context) };
}
