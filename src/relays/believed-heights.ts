import type { LedgerHeight } from '../ledger/index.js';
import { answered, type Answered, type Testimony } from './testimony.js';

/** Agave's `MAX_PROCESSING_AGE`: a blockhash serves for this many blocks. */
export const BLOCKHASH_LIFETIME = 150;

export interface BelievedHeights {
  readonly believed: readonly Answered<LedgerHeight>[];
  /** The labels of those that contradict the others, or what was known before. */
  readonly lying: readonly string[];
}

/**
 * Which of the finalized heights can be true. There is one finalized chain, and a slot holds one block at most: from one
 * slot to a later one the block height grows by no more than the slots between, and never falls. A provider that more
 * providers contradict than agree with, itself included, is left out; so is one that contradicts a height `known`
 * before, as one does that gives its slot for the height. (Being behind contradicts nobody.)
 */
export function believeHeights(
  testimonies: readonly Testimony<LedgerHeight>[],
  known?: LedgerHeight,
): BelievedHeights {
  const all = answered(testimonies);
  const isBelieved = ({ answer }: Answered<LedgerHeight>) => {
    const agreeing = all.filter((other) => areOnOneChain(answer, other.answer)).length;
    return 2 * agreeing > all.length && (known === undefined || isReachable(known, answer));
  };
  return {
    believed: all.filter(isBelieved),
    lying: all.filter((testimony) => !isBelieved(testimony)).map(({ node }) => node),
  };
}

/** The height at which a blockhash with this last height was made. */
export const heightOfBlockhash = (slot: number, lastValidBlockHeight: number): LedgerHeight => ({
  slot,
  blockHeight: lastValidBlockHeight - BLOCKHASH_LIFETIME,
});

export function areOnOneChain(one: LedgerHeight, other: LedgerHeight): boolean {
  const [earlier, later] = one.slot <= other.slot ? [one, other] : [other, one];
  return later.blockHeight >= earlier.blockHeight && isReachable(earlier, later);
}

/** Not more blocks than slots; says nothing of what lies before `known`. */
function isReachable(known: LedgerHeight, height: LedgerHeight): boolean {
  return height.slot < known.slot || height.blockHeight - known.blockHeight <= height.slot - known.slot;
}
