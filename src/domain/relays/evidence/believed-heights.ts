import { BLOCKHASH_LIFETIME_BLOCKS, type LedgerHeight } from '../../../platform/ledger/index.js';
import { answered, type Answer, type Answered } from './answers.js';
import { isMajority } from './majority.js';

/**
 * How far finality may be behind a fresh blockhash. It is 32 slots behind when all is well, and may be late. A provider that
 * names a slot further ahead would delay each proof of death.
 */
export const MAX_FINALITY_LAG_SLOTS = 450;

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

/** What one provider said of its height in earlier looks, since the latest attempt was signed. */
export interface EarlierHeight extends LedgerHeight {
  readonly node: string;
  readonly agoMs: number;
  readonly first: LedgerHeight;
}

/** What was said of the blockhash of an attempt when it was signed. */
export interface Expiring {
  /** The slot of the provider that gave the blockhash. */
  readonly contextSlot: number;
  readonly lastValidBlockHeight: number;
}

/** Whether the time for doubt has ended for every attempt: silent providers and what was said at signing count no more. */
export const isPastDoubt = ({
  sinceSignedMs,
  maxDoubtMs,
}: {
  readonly sinceSignedMs: readonly number[];
  readonly maxDoubtMs: number;
}) => sinceSignedMs.every((since) => since >= maxDoubtMs);

/**
 * Whether a provider's finalized height is past the last one in which any attempt could land.
 *
 * What was said at signing may have been wrong. Once `hasNoDoubt`, what was seen since counts instead: the blockhash was at most
 * as far ahead of the provider's first height as finality may be behind, and lived for its blocks from there.
 */
export function expiryOf(
  attempts: readonly Expiring[],
  earlier: readonly EarlierHeight[],
  hasNoDoubt: boolean,
): (one: { readonly node: string; readonly height?: LedgerHeight }) => boolean {
  return ({ node, height }) => {
    if (!height) return false;
    // A block needs a slot: whatever height was named at signing, 150 blocks have not passed within 150 slots.
    const isPastAll = attempts.every(
      ({ contextSlot, lastValidBlockHeight }) =>
        height.blockHeight > lastValidBlockHeight && height.slot > contextSlot + BLOCKHASH_LIFETIME_BLOCKS,
    );
    const first = hasNoDoubt ? earlier.find((one) => one.node === node)?.first : undefined;
    if (isPastAll || !first) return isPastAll;
    const grown = height.blockHeight - first.blockHeight;
    return areOnOneChain(first, height) && grown > MAX_FINALITY_LAG_SLOTS + BLOCKHASH_LIFETIME_BLOCKS;
  };
}

export function areOnOneChain(one: LedgerHeight, other: LedgerHeight): boolean {
  const [earlier, later] = one.slot <= other.slot ? [one, other] : [other, one];
  const grown = later.blockHeight - earlier.blockHeight;
  return grown >= 0 && grown <= later.slot - earlier.slot;
}
