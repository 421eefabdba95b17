import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import { unreachable } from '../../../platform/kernel/unreachable.js';
import type { StatusChange } from '../status/change-status.js';
import {
  failed,
  foundNothing,
  rejected,
  type Conclusion,
  type RelayContext,
  type RelayStep,
  type RelayWork,
} from './relay-step.js';
import type { RelayAttempt } from '../relay.js';
import { sendAttempt } from './send-attempt.js';
import { lowMedian } from '../medians.js';
import { expiryOf, isPastDoubt } from '../evidence/believed-heights.js';
import { decideEnd, type Judgement } from '../evidence/decide-end.js';
import { earlierHeights, keptHeights } from '../evidence/kept-heights.js';
import { interviewEvidence } from '../evidence/interview.js';
import type { Heard } from '../evidence/interviews.js';

/**
 * Looks once at the signed transactions of a request: asks every provider, and lets `decideEnd` decide. While the latest
 * attempt may still land, sends the same bytes again.
 */
export async function lookAtAttempts(context: RelayContext, work: RelayWork): Promise<RelayStep> {
  // An attempt that landed and failed can have no further effect. An attempt that was proven dead is still checked.
  const attempts = work.attempts.filter(({ outcome }) => outcome !== 'failed');
  const latest = attempts.at(-1);
  if (!latest) throw new Error('A submitted relay request has an attempt that may land.');
  const first = await look(context, work, attempts, false);
  const step = stepOf(context, first);
  if (step.kind === 'change' || !first.judgement.mayLand) return step;

  const { isTaken, isAnswered, isRefused, evidence } = await sendAttempt(context, latest);
  if (isRefused) {
    const second = stepOf(context, await look(context, work, attempts, true));
    if (second.kind === 'change') return second;
  }
  if (!isTaken && work.relay.status === 'submitted')
    return { kind: 'change', change: reconciling('send_unseen', latest, { nodes: evidence }, context) };
  if (isAnswered && step.kind !== 'found_nothing') return step;
  const unsent = { ...step.evidence, sent: evidence };
  const nothing = step.kind === 'found_nothing' ? step : foundNothing('providers_silent', unsent);
  // While the transaction may land, it is sent again in time, even if providers are silent.
  const isYoung = latest.sinceSignedMs < context.timing.maxDoubtMs;
  return isYoung ? { ...nothing, withinMs: context.timing.rebroadcastMs } : nothing;
}

interface Look {
  readonly attempts: readonly RelayAttempt[];
  readonly interviews: readonly Heard[];
  readonly judgement: Judgement;
  /** For the next look. */
  readonly heights: readonly JsonObject[];
}

async function look(
  { interviews: desk, timing, metrics }: RelayContext,
  work: RelayWork,
  attempts: readonly RelayAttempt[],
  suspectsSpending: boolean,
): Promise<Look> {
  const { nullifiers, outputs, pool } = work;
  const { sinceSignedMs } = attempts.at(-1)!;
  const earlier = earlierHeights(work.lastLook, sinceSignedMs);
  const time = {
    sinceSignedMs: attempts.map((attempt) => attempt.sinceSignedMs),
    minBlockMs: timing.minBlockMs,
    minSlotMs: timing.minSlotMs,
    maxDoubtMs: timing.maxDoubtMs,
  };
  const interviews = await desk.round({
    ...{ relayId: work.relay.id, nullifiers, outputs, programId: pool.programId },
    ...{ attempts, suspectsSpending, isPast: expiryOf(attempts, earlier, isPastDoubt(time)) },
  });
  const judgement = decideEnd(
    interviews.map(({ testimony }) => testimony),
    time,
    { attempts: attempts.map((attempt) => ({ ...attempt, isDead: attempt.outcome === 'dead' })), earlier },
  );
  // A kept answer was counted before.
  const isNew = (label: string) => interviews.some((one) => one.testimony.node === label && !one.isKept);
  for (const { node } of judgement.liars) if (isNew(node)) metrics.providerLied(node);
  const heights = keptHeights(interviews, judgement, earlier, sinceSignedMs, attempts);
  return { attempts, interviews, judgement, heights };
}

function stepOf({ timing }: RelayContext, { attempts, interviews, judgement, heights }: Look): RelayStep {
  const { decision, liars } = judgement;
  const evidence: JsonObject = {
    providers: interviews.map((one) => interviewEvidence(one, attempts)),
    leftOut: liars.map(({ node, lie }) => ({ node, lie })),
  };
  const failures = judgement.failed.map(({ at, slot, failure }): Conclusion => ({
    number: attempts[at]!.number,
    outcome: 'failed',
    evidence: { ...evidence, slot, failure },
    paidLamports: paidBy(interviews, judgement, at),
  }));
  switch (decision.kind) {
    case 'succeeded': {
      const { number, signature } = attempts[decision.at]!;
      const landed = { ...evidence, signature, slot: decision.slot, by: decision.by };
      const change = { to: 'succeeded', attemptNumber: number, evidence: landed } as const;
      const paidLamports = paidBy(interviews, judgement, decision.at);
      const conclusion = { number, outcome: 'landed', evidence: landed, paidLamports } as const;
      return { kind: 'change', change, conclusions: [...failures, conclusion] };
    }
    case 'landed_failed': {
      const { signature } = attempts[decision.at]!;
      const known = { ...evidence, signature, slot: decision.slot };
      return decision.isSpent
        ? rejected('nullifiers_spent', known, failures)
        : failed('transaction_failed', known, failures);
    }
    case 'spent':
      return rejected('nullifiers_spent', { ...evidence, spender: decision.spender }, failures);
    case 'dead': {
      const lastValidBlockHeight = Math.max(...attempts.map((attempt) => attempt.lastValidBlockHeight));
      const proof = { ...evidence, lastValidBlockHeight, finalizedAtSlot: decision.slot };
      const dead = attempts.flatMap(({ number, outcome }): Conclusion[] =>
        outcome === null && !failures.some((failure) => failure.number === number)
          ? [{ number, outcome: 'dead', evidence: proof }]
          : [],
      );
      return failed('send_failed', proof, [...failures, ...dead]);
    }
    case 'wait':
      break;
    default:
      return unreachable(decision);
  }
  const wait = decision.for;
  const seen = { ...evidence, heights: [...heights] };
  switch (wait) {
    case 'agreement':
      return foundNothing('providers_disagree', seen, wait);
    case 'majority':
    case 'silent_providers':
      return foundNothing('providers_silent', seen, wait);
    case 'spender':
      return foundNothing('spender_unknown', seen, wait);
    case 'minimum_time':
    case 'landing':
    case 'finality':
    case 'effect':
      return { kind: 'look_again', inMs: timing.rebroadcastMs, waitingFor: wait, evidence: seen };
    default:
      return unreachable(wait);
  }
}

/**
 * What an attempt cost, by the providers that are believed; the median, so that one of them alone cannot use up a budget. It adds
 * to what was counted at signing, which includes the fee. So too low an answer hides only what the simulation did not show.
 */
function paidBy(interviews: readonly Heard[], { liars }: Judgement, at: number): number | undefined {
  const lying = new Set(liars.map(({ node }) => node));
  return lowMedian(
    interviews.flatMap(({ testimony: { node, outcomes } }) => {
      const outcome = lying.has(node) ? undefined : outcomes?.[at];
      return outcome ? [outcome.paidLamports] : [];
    }),
  );
}

/** From here on, only proof ends the request. */
export function reconciling(
  cause: 'send_unseen' | 'taken_over' | 'providers_disagree' | 'spent_before_signing',
  { signature }: RelayAttempt,
  evidence: JsonObject,
  { timing }: RelayContext,
): StatusChange {
  return {
    to: 'reconciling',
    evidence: { cause, signature, ...evidence },
    nextLookInMs: cause === 'taken_over' ? 0 : timing.rebroadcastMs,
  };
}
