import { BLOCKHASH_LIFETIME_BLOCKS, type LedgerHeight } from '../../../platform/ledger/index.js';
import { answered, type Answer, type Answered } from './answers.js';
import { highMedian } from '../medians.js';
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

/** The last height at which a blockhash of `slot` can still be used, computed from a height that was finalized before it. */
const latestExpiry = (finalized: LedgerHeight, slot: number) =>
  finalized.blockHeight + Math.max(0, slot - finalized.slot) + BLOCKHASH_LIFETIME_BLOCKS;

/** What providers said before an attempt was signed. */
export interface BeforeSigning {
  readonly configured: number;
  /** The finalized heights that are believed; at least one. */
  readonly believed: readonly LedgerHeight[];
  /** The slot that one provider returned with the blockhash. */
  readonly slot: number;
  /** The slots at which providers simulated a transaction with the blockhash. */
  readonly simulatedAt: readonly number[];
}

/**
 * The last height at which a blockhash can be used, or a later one. If it seemed to expire earlier, the transaction could be taken
 * for dead while it can still land, because a finalized state that does not know the blockhash yet takes it for an expired one. So
 * neither its slot nor the finalized height is what one provider returned: a provider that simulated with the blockhash has
 * reached its slot, and each true height bounds later ones.
 */
export function lastHeightOf({ configured, believed, slot, simulatedAt }: BeforeSigning): number {
  const furthest = highMedian(believed.map((height) => height.slot))! + MAX_FINALITY_LAG_SLOTS;
  const reached = Math.min(furthest, honestBound(simulatedAt, configured) ?? furthest);
  const expiries = believed.map((height) => latestExpiry(height, Math.max(slot, reached)));
  return honestBound(expiries, configured) ?? Math.max(...expiries);
}

/** The heights that one provider returned in earlier looks, since the latest attempt was signed. */
export interface EarlierHeight extends LedgerHeight {
  readonly node: string;
  readonly agoMs: number;
  readonly first: LedgerHeight;
}

/** What a provider returned with the blockhash of an attempt when it was signed. */
export interface Expiring {
  /** The slot of the provider that gave the blockhash. */
  readonly contextSlot: number;
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
 * The expiry that was returned at signing may be wrong. Once `hasNoDoubt`, the heights seen since then are used instead: the
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
    // Every block needs a slot: within 150 slots, 150 blocks cannot have passed, whatever height was returned at signing.
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
