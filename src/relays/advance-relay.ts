import { sql, type Reader } from '../database/index.js';
import type { JsonObject } from '../kernel/json.js';
import { unreachable } from '../kernel/unreachable.js';
import { lookAtAttempts, reconciling } from './look-at-attempts.js';
import { prepareRelay } from './prepare-relay.js';
import type { RelayContext, RelayStep, RelayWork } from './relay-step.js';
import type { Relay } from './relay.js';
import { sendAttempt } from './send-attempt.js';
import { validateRelay } from './validate-relay.js';

export interface Advance {
  /** The first step since the request was claimed, from somebody who did not give it back. */
  readonly isTakenOver: boolean;
  /** The step before this one, in the same hands, has stored a new attempt. */
  readonly isUnsent: boolean;
}

/** The next step of a request under way, by its status. */
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
      if (!latest) throw new Error('A relay request that was submitted has an attempt.');
      if (isTakenOver) return { kind: 'change', change: reconciling('taken_over', latest, {}, context) };
      if (!isUnsent) return disagreementReconciles(context, work, await lookAtAttempts(context, work));
      const { isTaken, evidence } = await sendAttempt(context, latest);
      if (isTaken) return { kind: 'look_again', inMilliseconds: context.timing.rebroadcastMs };
      return { kind: 'change', change: reconciling('send_unseen', latest, { nodes: evidence }, context) };
    }
    case 'reconciling':
      return lookAtAttempts(context, work);
    case 'accepted':
    case 'succeeded':
    case 'rejected':
    case 'failed':
      throw new Error(`A relay request that is ${relay.status} asks nothing of the ledger.`);
    default:
      return unreachable(relay.status);
  }
}

/** An attempt that somebody asked for again is validated again: it may never have been, or long ago. */
async function prepareValid(context: RelayContext, work: RelayWork): Promise<RelayStep> {
  const { validated } = await evidenceOfStatus(context.foundation.database, work.relay);
  if (validated !== true) {
    const validation = await validateRelay(context, work);
    if (validation.kind === 'not_valid') return validation.step;
  }
  return prepareRelay(context, work);
}

async function evidenceOfStatus(reader: Reader, { id, sequence }: Relay): Promise<JsonObject> {
  const [event] = await reader.rows(sql<{ evidence: JsonObject }>`
    select evidence from relay_events where request_id = ${id} and sequence = ${sequence}`);
  return event?.evidence ?? {};
}

function disagreementReconciles(context: RelayContext, work: RelayWork, step: RelayStep): RelayStep {
  const latest = work.attempts.at(-1);
  if (step.kind !== 'found_nothing' || step.cause !== 'providers_disagree' || !latest) return step;
  context.metrics.providersDisagreed();
  return { kind: 'change', change: reconciling('providers_disagree', latest, step.evidence, context) };
}
