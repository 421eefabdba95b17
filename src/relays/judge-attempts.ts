import { canonicalJson, type JsonObject, type JsonValue } from '../kernel/json.js';
import type { FinalizedOutcome, LedgerHeight, Signature, SignatureStatus } from '../ledger/index.js';
import { answered, failureJson, isHalf, type Answered, type Testimony } from './testimony.js';

/** Answers to one question about several signatures, in their order. */
export interface Statuses {
  readonly slot: number;
  readonly statuses: readonly (SignatureStatus | null)[];
}

export type OutcomeJudgement =
  | { readonly kind: 'finalized'; readonly slot: number; readonly failure: JsonValue }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'disagreement' };

/**
 * Whether a signature has a finalized outcome: status and transaction of one provider say the same, at least half of
 * the configured providers do so, and nobody says otherwise. Who has come past the slot and does not know the signature
 * says otherwise; who is behind says nothing.
 */
export function judgeOutcome(
  at: number,
  statuses: readonly Testimony<Statuses>[],
  outcomes: readonly Testimony<FinalizedOutcome | null>[],
): OutcomeJudgement {
  const said = outcomes.flatMap((testimony, index) => {
    const status = statuses[index];
    const seen = status && 'answer' in status ? status.answer.statuses[at] : undefined;
    const outcome = 'answer' in testimony ? testimony.answer : null;
    return seen?.commitment === 'finalized' && outcome !== null ? [{ seen, outcome }] : [];
  });
  const [first] = said;
  if (!first) return { kind: 'unknown' };
  const { slot } = first.outcome;
  const failure = failureJson(first.outcome.failure);
  const isSame = (other: { readonly slot: number; readonly failure: FinalizedOutcome['failure'] }) =>
    other.slot === slot && canonicalJson(failureJson(other.failure)) === canonicalJson(failure);
  const objects = answered(statuses).some(({ answer }) => {
    const status = answer.statuses[at];
    if (status === null || status === undefined) return answer.slot >= slot;
    return status.commitment === 'finalized' && !isSame(status);
  });
  const contradicts = answered(outcomes).some(({ answer }) => answer !== null && !isSame(answer));
  if (objects || contradicts) return { kind: 'disagreement' };
  return isHalf(said.length, outcomes.length) ? { kind: 'finalized', slot, failure } : { kind: 'unknown' };
}

/** Whether some provider knows the signature, whatever it says of it. */
export const isSeen = (at: number, statuses: readonly Testimony<Statuses>[]) =>
  answered(statuses).some(({ answer }) => answer.statuses[at] !== null);

export const isFinalizedForSome = (at: number, statuses: readonly Testimony<Statuses>[]) =>
  answered(statuses).some(({ answer }) => answer.statuses[at]?.commitment === 'finalized');

/**
 * Whether all configured providers, none left out and none failed, searched their whole history as of `slot` or later
 * and do not know the signature.
 */
export function isUnknownToAll(at: number, statuses: readonly Testimony<Statuses>[], slot: number): boolean {
  return statuses.every(
    (testimony) =>
      'answer' in testimony && testimony.answer.slot >= slot && testimony.answer.statuses[at] === null,
  );
}

/**
 * The slot as of which, by the word of every configured provider, the finalized height is past the last one in which
 * anything signed could land; `undefined` while it is not, or somebody is silent or not believed.
 */
export function slotPastExpiry(
  believed: readonly Answered<LedgerHeight>[],
  configured: number,
  lastValidBlockHeight: number,
): number | undefined {
  if (believed.length < configured) return undefined;
  if (believed.some(({ answer }) => answer.blockHeight <= lastValidBlockHeight)) return undefined;
  return Math.max(...believed.map(({ answer }) => answer.slot));
}

export const statusesEvidence = (signatures: readonly Signature[]) => (answer: Statuses) => ({
  slot: answer.slot,
  statuses: signatures.map((signature, at): JsonObject => {
    const status = answer.statuses[at];
    if (!status) return { signature, status: null };
    const { slot, commitment, failure } = status;
    return { signature, status: { slot, commitment, failure: failureJson(failure) } };
  }),
});
