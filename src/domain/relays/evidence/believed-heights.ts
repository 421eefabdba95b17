import type { LedgerHeight } from '../../../platform/ledger/index.js';
import { answered, type Answer, type Answered } from './answers.js';
import { isMajority } from './majority.js';

/** Agave's `MAX_PROCESSING_AGE`: a blockhash can be used for this many blocks. */
export const BLOCKHASH_LIFETIME_BLOCKS = 150;

export interface BelievedHeights {
  readonly believed: readonly Answered<LedgerHeight>[];
  /** The labels of the providers that the others contradict. */
  readonly lying: readonly string[];
}

/**
 * Which finalized heights can be true. There is one finalized chain, and a slot holds at most one block: from one slot
 * to a later one the block height never falls and grows by no more than the slots between. A provider that more
 * providers contradict than agree with, itself included, is left out. A provider that is behind contradicts nobody.
 */
export function believeHeights(answers: readonly Answer<LedgerHeight>[]): BelievedHeights {
  const all = answered(answers);
  const isBelieved = ({ answer }: Answered<LedgerHeight>) =>
    isMajority(all.filter((other) => areOnOneChain(answer, other.answer)).length, all.length);
  return {
    believed: all.filter(isBelieved),
    lying: all.filter((one) => !isBelieved(one)).map(({ node }) => node),
  };
}

/** The height at which a blockhash with this last valid height was made. */
export const heightOfBlockhash = (slot: number, lastValidBlockHeight: number): LedgerHeight => ({
  slot,
  blockHeight: lastValidBlockHeight - BLOCKHASH_LIFETIME_BLOCKS,
});

/** The latest height at which a blockhash of `slot` can still be used, by a height that was finalized before it. */
export const latestExpiry = (finalized: LedgerHeight, slot: number) =>
  finalized.blockHeight + Math.max(0, slot - finalized.slot) + BLOCKHASH_LIFETIME_BLOCKS;

export function areOnOneChain(one: LedgerHeight, other: LedgerHeight): boolean {
  const [earlier, later] = one.slot <= other.slot ? [one, other] : [other, one];
  const grown = later.blockHeight - earlier.blockHeight;
  return grown >= 0 && grown <= later.slot - earlier.slot;
}
