import type { JsonObject } from '../kernel/json.js';
import { unreachable } from '../kernel/unreachable.js';
import type { LedgerHeight } from '../ledger/index.js';
import { believeHeights, heightOfBlockhash } from './believed-heights.js';
import type { StatusChange } from './change-status.js';
import {
  isFinalizedForSome,
  isSeen,
  isUnknownToAll,
  judgeOutcome,
  slotPastExpiry,
  statusesEvidence,
  type Statuses,
} from './judge-attempts.js';
import { askNullifiers } from './nullifier-accounts.js';
import {
  countLies,
  failed,
  foundNothing,
  heightsEvidence,
  rejected,
  type RelayContext,
  type RelayStep,
  type RelayWork,
} from './relay-step.js';
import type { RelayAttempt } from './relay.js';
import { sendAttempt } from './send-attempt.js';
import { askAll, evidenceOf, failureJson, type Testimony } from './testimony.js';

/**
 * One look at what was signed for a request. It ends the request only by finalized state: a transaction of its own that
 * landed, nullifiers that another has spent, or the proof that nothing of it can land any more. Everything else, errors and
 * silence above all, says nothing: the same bytes are sent again, and another look follows.
 */
export async function lookAtAttempts(context: RelayContext, work: RelayWork): Promise<RelayStep> {
  // One that has landed and failed can do nothing more. One that was proven dead is looked at all the same.
  const attempts = work.attempts.filter(({ outcome }) => outcome !== 'failed');
  const latest = attempts.at(-1);
  if (!latest) throw new Error('A relay request that was submitted has an attempt.');
  // Heights first: only a search that comes after them can prove an absence.
  const heights = await askAll(context.nodes, (node) => node.finalizedHeight());
  const statuses = await askStatuses(context, attempts);
  const look: Look = { context, work, attempts, latest, heights, statuses };

  const settled = new Set<RelayAttempt>();
  for (const [at, attempt] of attempts.entries()) {
    if (!isSeen(at, statuses)) continue;
    const seen = await lookAtOutcome(look, at, attempt);
    if (seen !== 'settled') return seen;
    settled.add(attempt);
  }
  return lookAtAbsence(look, (attempt) => !settled.has(attempt));
}

interface Look {
  readonly context: RelayContext;
  readonly work: RelayWork;
  /** Those that the statuses are of, in their order. */
  readonly attempts: readonly RelayAttempt[];
  readonly latest: RelayAttempt;
  readonly heights: readonly Testimony<LedgerHeight>[];
  readonly statuses: readonly Testimony<Statuses>[];
}

/** Which attempts nobody knows anything of. */
type IsOpen = (attempt: RelayAttempt) => boolean;

const askStatuses = ({ nodes }: RelayContext, attempts: readonly RelayAttempt[]) =>
  askAll(nodes, (node) => node.signatureStatuses(attempts.map(({ signature }) => signature)));

/** What follows for the request from an attempt that some provider knows; `settled`: nothing, it is an earlier one that failed. */
async function lookAtOutcome(
  { context, work, latest, attempts, statuses }: Look,
  at: number,
  attempt: RelayAttempt,
): Promise<RelayStep | 'settled'> {
  const { nodes, timing } = context;
  const { signature, number } = attempt;
  // Seen, and not final yet: nothing to do but to wait.
  if (!isFinalizedForSome(at, statuses)) return { kind: 'look_again', inMilliseconds: timing.rebroadcastMs };
  const outcomes = await askAll(nodes, (node) => node.finalizedOutcome(signature));
  const judgement = judgeOutcome(at, statuses, outcomes);
  const evidence: JsonObject = {
    signature,
    statuses: evidenceOf(statuses, statusesEvidence(signaturesOf(attempts))),
    transactions: evidenceOf(outcomes, (outcome) =>
      outcome === null
        ? { transaction: null }
        : { slot: outcome.slot, fee: outcome.fee, failure: failureJson(outcome.failure) },
    ),
  };
  switch (judgement.kind) {
    case 'unknown':
      return { kind: 'look_again', inMilliseconds: timing.rebroadcastMs };
    case 'disagreement':
      return foundNothing('providers_disagree', evidence);
    case 'finalized':
      break;
    default:
      return unreachable(judgement);
  }
  const { slot, failure } = judgement;
  if (failure === null) {
    const landed = { number, outcome: 'landed', evidence: { ...evidence, slot } } as const;
    const change = { to: 'succeeded', attemptNumber: number, evidence: { ...evidence, slot } } as const;
    return { kind: 'change', change, conclusions: [landed] };
  }
  if (attempt !== latest) return 'settled';
  const conclusions = [{ number, outcome: 'failed', evidence: { ...evidence, slot, failure } }] as const;
  const nullifiers = await askNullifiers(context, work, 'finalized', { minContextSlot: slot });
  const known = { ...evidence, slot, failure, nullifiers: nullifiers.evidence };
  if (nullifiers.spent.kind !== 'agreed')
    return foundNothing(
      nullifiers.spent.kind === 'unknown' ? 'providers_silent' : 'providers_disagree',
      known,
    );
  return nullifiers.spent.value
    ? rejected('nullifiers_spent', known, conclusions)
    : failed('transaction_failed', known, conclusions);
}

/** Nobody knows anything of what was signed: it is dead by proof, or it is sent again. */
async function lookAtAbsence(look: Look, isOpen: IsOpen): Promise<RelayStep> {
  const { context, latest, attempts, heights, work } = look;
  const beliefs = believeHeights(heights, heightOfBlockhash(latest.contextSlot, latest.lastValidBlockHeight));
  countLies(context, beliefs);
  const lastValidBlockHeight = Math.max(...attempts.map((attempt) => attempt.lastValidBlockHeight));
  const slot = slotPastExpiry(beliefs.believed, context.nodes.length, lastValidBlockHeight);
  if (slot !== undefined) return lookAtDeath(look, isOpen, lastValidBlockHeight, slot);

  const { isTaken, isAnswered, isRefused, evidence } = await sendAttempt(context, latest);
  const spent = isRefused ? await lookAtSpending(look, isOpen) : undefined;
  if (spent) return spent;
  if (!isTaken && work.relay.status === 'submitted')
    return { kind: 'change', change: reconciling('send_unseen', latest, { nodes: evidence }, context) };
  return isAnswered
    ? { kind: 'look_again', inMilliseconds: context.timing.rebroadcastMs }
    : foundNothing('providers_silent', { sent: evidence });
}

/**
 * The proof of death, in its order: every provider's finalized height is past the last valid one; then every provider
 * has searched its history as of that slot or later, and knows none of the signatures; then the nullifier accounts are
 * absent at that slot or later.
 */
async function lookAtDeath(
  { context, work, attempts, statuses, heights }: Look,
  isOpen: IsOpen,
  lastValidBlockHeight: number,
  slot: number,
): Promise<RelayStep> {
  const searched = {
    ...{ lastValidBlockHeight, finalizedAtSlot: slot, heights: heightsEvidence(heights) },
    statuses: evidenceOf(statuses, statusesEvidence(signaturesOf(attempts))),
  };
  if (!areUnknown(attempts, isOpen, statuses, slot)) return foundNothing('providers_silent', searched);
  const nullifiers = await askNullifiers(context, work, 'finalized', { minContextSlot: slot });
  const evidence = { ...searched, nullifiers: nullifiers.evidence };
  if (nullifiers.said.some((testimony) => 'error' in testimony))
    return foundNothing('providers_silent', evidence);
  if (nullifiers.spent.kind !== 'agreed') return foundNothing('providers_disagree', evidence);
  const conclusions = attempts
    .filter((attempt) => attempt.outcome === null && isOpen(attempt))
    .map(({ number }) => ({ number, outcome: 'dead' as const, evidence }));
  return nullifiers.spent.value
    ? rejected('nullifiers_spent', evidence, conclusions)
    : failed('send_failed', evidence, conclusions);
}

/**
 * Nullifiers that are spent at a finalized slot, by none of ours: every provider has searched its history as of that
 * slot or later, and knows none of the signatures.
 */
async function lookAtSpending(
  { context, work, attempts }: Look,
  isOpen: IsOpen,
): Promise<RelayStep | undefined> {
  const nullifiers = await askNullifiers(context, work, 'finalized');
  if (nullifiers.spent.kind !== 'agreed' || !nullifiers.spent.value) return undefined;
  const statuses = await askStatuses(context, attempts);
  if (!areUnknown(attempts, isOpen, statuses, nullifiers.slot)) return undefined;
  return rejected('nullifiers_spent', {
    nullifiers: nullifiers.evidence,
    statuses: evidenceOf(statuses, statusesEvidence(signaturesOf(attempts))),
  });
}

const signaturesOf = (attempts: readonly RelayAttempt[]) => attempts.map(({ signature }) => signature);

const areUnknown = (
  attempts: readonly RelayAttempt[],
  isOpen: IsOpen,
  statuses: readonly Testimony<Statuses>[],
  slot: number,
) => attempts.every((attempt, at) => !isOpen(attempt) || isUnknownToAll(at, statuses, slot));

/** From here on only proof ends the request. */
export function reconciling(
  cause: 'send_unseen' | 'taken_over' | 'providers_disagree',
  { signature }: RelayAttempt,
  evidence: JsonObject,
  { timing }: RelayContext,
): StatusChange {
  return {
    to: 'reconciling',
    evidence: { cause, signature, ...evidence },
    nextLookInMilliseconds: cause === 'taken_over' ? 0 : timing.rebroadcastMs,
  };
}
