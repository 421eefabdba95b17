import { BLOCKHASH_LIFETIME_BLOCKS, type LedgerHeight } from '../../../platform/ledger/index.js';
import { answered, type Answer, type Answered } from './answers.js';
import { highMedian, lowMedian } from '../medians.js';
import { honestBound, isMajority } from './majority.js';

/**
 * The most slots by which finality may lag behind a fresh blockhash. It normally lags by 32 slots, and can be late. A provider
 * that returns a slot further ahead would delay every proof of death.
 */
export const MAX_FINALITY_LAG_SLOTS = 450;

export interface BelievedHeights {
  readonly believed: readonly Answered<LedgerHeight>[];
  /** The labels of the providers that more than half of the configured ones contradict. */
  readonly lying: readonly string[];
}

/**
 * Decides which finalized heights can be true. There is one finalized chain, and a slot holds at most one block: from one slot
 * to a later one, the block height never falls and grows by at most the number of slots between them. A provider is
 * believed only if more than half of the answers, its own included, agree with it. A provider that lags contradicts no other.
 * A provider that is not believed may be honest, as long as no majority of the configured providers contradicts it.
 *
 * @param answers One of each configured provider.
 */
export function believeHeights(answers: readonly Answer<LedgerHeight>[]): BelievedHeights {
  const all = answered(answers);
  const heights = all.map(({ answer }) => answer);
  const isBelieved = ({ answer }: Answered<LedgerHeight>) =>
    isMajority(all.filter((other) => areOnOneChain(answer, other.answer)).length, all.length);
  return {
    believed: all.filter(isBelieved),
    lying: all
      .filter(({ answer }) => isContradicted(answer, heights, answers.length))
      .map(({ node }) => node),
  };
}

/** The height at which a blockhash with this last valid height was made. */
export const heightOfBlockhash = (slot: number, lastValidBlockHeight: number): LedgerHeight => ({
  slot,
  blockHeight: lastValidBlockHeight - BLOCKHASH_LIFETIME_BLOCKS,
});

/** Whether more than half of the configured providers returned a height that contradicts this one. */
export const isContradicted = (height: LedgerHeight, others: readonly LedgerHeight[], configured: number) =>
  isMajority(others.filter((other) => !areOnOneChain(height, other)).length, configured);

/**
 * The middle of the believed slots; the lower of two. `undefined` if more than two providers are configured and half of them or
 * fewer are believed: then all of these may lie. Its block height proves nothing, because the provider in the middle may lie: if
 * honest providers lag by different amounts, it need not contradict those that lag more.
 */
export function knownSlot(believed: readonly LedgerHeight[], configured: number): number | undefined {
  if (configured > 2 && !isMajority(believed.length, configured)) return undefined;
  return lowMedian(believed.map(({ slot }) => slot));
}

/** What providers said before an attempt was signed. */
export interface BeforeSigning {
  readonly configured: number;
  /** The finalized heights that are believed. */
  readonly believed: readonly LedgerHeight[];
  /** The slot that one provider returned with the blockhash. */
  readonly slot: number;
  /** The slots at which providers simulated a transaction with the blockhash. */
  readonly simulatedAt: readonly number[];
}

/**
 * From when on a finalized state can prove that the transaction is dead. A state that is older than the blockhash does not know it
 * and takes it for an expired one. So the context slot must not be before the slot of the blockhash, and is not what one provider
 * returned: a provider that simulated with the blockhash had reached that slot, and one of so many is honest. If so few simulated
 * that all of them may lie, it is the last slot that the finalized heights allow. The block height follows from those heights in
 * the same way: each of them bounds it, and one of so many is honest.
 */
export function expiringOf({ configured, believed, slot, simulatedAt }: BeforeSigning): Expiring {
  const last = highMedian(believed.map((height) => height.slot))! + MAX_FINALITY_LAG_SLOTS;
  const reached = honestBound(simulatedAt, configured) ?? Math.max(last, ...simulatedAt);
  const contextSlot = Math.max(slot, reached);
  // Each block needs a slot.
  const bounds = believed.map((height) => height.blockHeight + Math.max(0, contextSlot - height.slot));
  const made = honestBound(bounds, configured) ?? Math.max(...bounds);
  return { contextSlot, lastValidBlockHeight: made + BLOCKHASH_LIFETIME_BLOCKS };
}

/** The heights that one provider returned in earlier looks, since the latest attempt was signed. */
export interface EarlierHeight extends LedgerHeight {
  readonly node: string;
  readonly agoMs: number;
  /** The first one that knew the blockhashes, or else the last one. */
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

/** Whether a finalized state of this slot knows the blockhash of every attempt, or that it has none. */
export const knowsBlockhashes = (attempts: readonly Pick<Expiring, 'contextSlot'>[], slot: number) =>
  attempts.every(({ contextSlot }) => slot >= contextSlot);

/**
 * Whether a provider's finalized height is past the last one in which any attempt could land.
 *
 * The last height that was computed at signing may be far too late. Once `hasNoDoubt`, the blocks since the provider's first height
 * count instead. That height must know the blockhashes: while finality stalls, a provider that lagged may finalize any number of
 * blocks from before them.
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
    return (
      knowsBlockhashes(attempts, first.slot) &&
      areOnOneChain(first, height) &&
      grown > BLOCKHASH_LIFETIME_BLOCKS
    );
  };
}

export function areOnOneChain(one: LedgerHeight, other: LedgerHeight): boolean {
  const [earlier, later] = one.slot <= other.slot ? [one, other] : [other, one];
  const grown = later.blockHeight - earlier.blockHeight;
  return grown >= 0 && grown <= later.slot - earlier.slot;
}
