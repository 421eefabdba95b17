import { BLOCKHASH_LIFETIME_BLOCKS, type LedgerHeight } from '../../../platform/ledger/index.js';
import { answered, type Answer, type Answered } from './answers.js';
import { lowMedian } from '../medians.js';
import { honestBound, isMajority } from './majority.js';

/**
 * The most slots by which finality may lag behind a fresh blockhash. It normally lags by 32 slots, and can be late. A provider
 * that returns a slot further ahead would delay every proof of death.
 */
export const MAX_FINALITY_LAG_SLOTS = 450;

export interface BelievedHeights {
  readonly believed: readonly Answered<LedgerHeight>[];
  /** The labels of the providers that the others contradict. */
  readonly lying: readonly string[];
}

/**
 * Decides which finalized heights can be true. There is one finalized chain, and a slot holds at most one block: from one slot
 * to a later one, the block height never falls and grows by at most the number of slots between them. A provider is
 * believed only if more than half of the answers, its own included, agree with it. A provider that lags contradicts no other.
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

/**
 * The middle of the believed heights; the lower of two. `undefined` if more than two providers are configured and half of them or
 * fewer are believed: then all of these may lie.
 */
export function knownHeight(believed: readonly LedgerHeight[], configured: number): LedgerHeight | undefined {
  if (configured > 2 && !isMajority(believed.length, configured)) return undefined;
  const middle = lowMedian(believed.map(({ slot }) => slot));
  return believed.find(({ slot }) => slot === middle);
}

/** What providers said before an attempt was signed. */
export interface BeforeSigning {
  readonly configured: number;
  /** The finalized heights that are believed. */
  readonly believed: readonly LedgerHeight[];
  /** {@link knownHeight} of them. */
  readonly known: LedgerHeight;
  /** The slot that one provider returned with the blockhash. */
  readonly slot: number;
  /** The slots at which providers simulated a transaction with the blockhash. */
  readonly simulatedAt: readonly number[];
}

/**
 * From when on a finalized state can prove that the transaction is dead. A state that is older than the blockhash does not know it
 * and takes it for an expired one. So the context slot must not be before the slot of the blockhash, and is not what one provider
 * returned: a provider that simulated with the blockhash had reached that slot, and one of so many is honest. If so few simulated
 * that all of them may lie, it is the last slot that the finalized heights allow.
 */
export function expiringOf({ configured, believed, known, slot, simulatedAt }: BeforeSigning): Expiring {
  const last = Math.max(...believed.map((height) => height.slot)) + MAX_FINALITY_LAG_SLOTS;
  const reached = honestBound(simulatedAt, configured) ?? Math.max(last, ...simulatedAt);
  const contextSlot = Math.max(slot, reached);
  // The slot is never before the known one, and each block needs a slot.
  const made = known.blockHeight + contextSlot - known.slot;
  return { contextSlot, lastValidBlockHeight: made + BLOCKHASH_LIFETIME_BLOCKS };
}

/** The heights that one provider returned in earlier looks, since the latest attempt was signed. */
export interface EarlierHeight extends LedgerHeight {
  readonly node: string;
  readonly agoMs: number;
  readonly first: LedgerHeight;
}

/** What bounds the expiry of an attempt, from when it was signed. */
export interface Expiring {
  /** A slot at which its blockhash was known, or a later one. */
  readonly contextSlot: number;
  /** The last height at which its blockhash can be used, or a later one. */
  readonly lastValidBlockHeight: number;
}

/**
 * Whether `maxDoubtMs` has passed for every attempt. Then silent providers and the numbers returned at signing no longer count.
 */
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
 * The expiry that was computed at signing may be far too late. Once `hasNoDoubt`, the heights seen since then are used instead: the
 * blockhash was at most `MAX_FINALITY_LAG_SLOTS` ahead of the provider's first height, and expires `BLOCKHASH_LIFETIME_BLOCKS`
 * later.
 */
export function expiryOf(
  attempts: readonly Expiring[],
  earlier: readonly EarlierHeight[],
  hasNoDoubt: boolean,
): (one: { readonly node: string; readonly height?: LedgerHeight }) => boolean {
  return ({ node, height }) => {
    if (!height) return false;
    // Every block needs a slot: within 150 slots, 150 blocks cannot have passed, whatever the heights at signing were.
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
