import type { FinalizedOutcome, Signature } from '../../../../src/platform/ledger/index.js';
import type { Testimony } from '../../../../src/domain/relays/evidence/decide-end.js';

/** Numbers below 1 that depend only on the seed. */
export type Chance = () => number;

export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const from = (chance: Chance, least: number, most: number) =>
  least + Math.floor(chance() * (most - least + 1));
export const oneOf = <Value>(chance: Chance, values: readonly Value[]): Value =>
  values[from(chance, 0, values.length - 1)]!;

const MAX_AGE_BLOCKS = 150;
const LAGS = [32, 140, 300, 700];
export const SIGNED_SLOT = 2_000;
const LAST_SLOT = 4_500;
export const OURS = 'ours' as Signature;
const THEIRS = 'theirs' as Signature;
const ERROR = { InstructionError: [0, 'Custom'] };

/** What the finalized chain holds in the end: each provider learns it at its own time. */
export interface Chain {
  /** The block height of each slot. */
  readonly heights: readonly number[];
  /** The slot of the blockhash with which the transaction was signed. */
  readonly blockhashSlot: number;
  readonly landed: { readonly slot: number; readonly failure: FinalizedOutcome['failure'] } | undefined;
  /** Another transaction that spends the nullifiers. */
  readonly spentAt: number | undefined;
  /** How many slots its finality lags behind when the transaction is signed, and later. */
  readonly lag: { readonly atFirst: number; readonly later: number };
  /** The slots of a fork that showed the transaction, and was left. */
  readonly fork: { readonly from: number; readonly to: number } | undefined;
  /** From this slot on, no slot is made for so long, as long as so many slots take. */
  readonly halt: { readonly at: number; readonly slots: number };
}

/** The slot that the chain has reached after the time of so many slots. */
export const slotAfter = ({ halt: { at, slots } }: Chain, passed: number) =>
  passed <= at ? passed : Math.max(at, passed - slots);

export function makeChain(chance: Chance): Chain {
  const skips = oneOf(chance, [0, 0.05, 0.5]);
  const heights: number[] = [];
  for (let slot = 0; slot <= LAST_SLOT; slot += 1)
    heights.push((heights.at(-1) ?? 0) + (slot > 0 && chance() >= skips ? 1 : 0));
  const blockhashSlot = SIGNED_SLOT - from(chance, 0, oneOf(chance, [3, 200]));
  // Often finality catches up after it was late: then states are final that do not know the blockhash, and soon are past it.
  const catchesUp = chance() < 0.5;
  const lag = {
    atFirst: catchesUp ? oneOf(chance, [300, 440, 700]) : oneOf(chance, LAGS),
    later: catchesUp ? oneOf(chance, [32, 140]) : oneOf(chance, LAGS),
  };
  const lastSlot = heights.findLastIndex((height) => height <= heights[blockhashSlot]! + MAX_AGE_BLOCKS);
  const mayLand = lastSlot > SIGNED_SLOT;
  const spentAt = chance() < 0.3 ? from(chance, SIGNED_SLOT - 100, SIGNED_SLOT + 600) : undefined;
  const earliest = chance() < 0.5 ? Math.max(SIGNED_SLOT + 1, lastSlot - 30) : SIGNED_SLOT + 1;
  const slot = mayLand && chance() < 0.6 ? from(chance, earliest, lastSlot) : undefined;
  const isLate = slot !== undefined && spentAt !== undefined && spentAt < slot;
  const landed = slot === undefined ? undefined : { slot, failure: isLate || chance() < 0.3 ? ERROR : null };
  const isFirst = landed?.failure === null;
  const begins = from(chance, SIGNED_SLOT + 1, SIGNED_SLOT + 200);
  return {
    ...{ heights, blockhashSlot, landed, lag },
    spentAt: isFirst ? undefined : spentAt,
    fork: chance() < 0.5 ? { from: begins, to: begins + from(chance, 1, 60) } : undefined,
    halt: { at: SIGNED_SLOT + from(chance, 1, 100), slots: oneOf(chance, [0, 0, 1_700]) },
  };
}

/** How far a provider is. Each question is asked a little later than the one before. */
interface Position {
  readonly processed: number;
  readonly finalized: number;
}

/**
 * The answers of an honest provider, as `interview` asks for them: it lags, may fail at each question, and shows a fork until it
 * leaves it.
 */
export function honest(
  chance: Chance,
  chain: Chain,
  {
    node,
    now,
    isPast,
  }: { node: string; now: number; isPast: (one: Pick<Testimony, 'node' | 'height'>) => boolean },
): Testimony {
  const { heights, landed, fork, blockhashSlot } = chain;
  let processed = now - oneOf(chance, [0, 1, 5, 60, 400, 1_000]);
  const lag = chain.lag.later + from(chance, 0, 8);
  const isSilent = () => chance() < 0.05;
  const later = (): Position => {
    processed = Math.min(now, processed + from(chance, 0, 3));
    return { processed, finalized: processed - lag };
  };
  const heightSlot = later().finalized;
  const height = isSilent() ? undefined : { slot: heightSlot, blockHeight: heights[heightSlot]! };
  const at = later();
  const isOnFork = fork !== undefined && at.processed >= fork.from && at.processed <= fork.to;
  const status =
    landed && landed.slot <= at.processed
      ? {
          ...landed,
          commitment: landed.slot <= at.finalized ? ('finalized' as const) : ('confirmed' as const),
        }
      : isOnFork
        ? { slot: fork.from, failure: null, commitment: oneOf(chance, ['processed', 'confirmed'] as const) }
        : null;
  const statuses = isSilent() ? undefined : { slot: at.processed, statuses: [status] };
  const isFinal = statuses !== undefined && status?.commitment === 'finalized';
  const outcome =
    isFinal && landed && !isSilent()
      ? { ...landed, fee: 5_000, isFeePaid: true, paidLamports: 5_000 }
      : undefined;
  const past = isPast({ node, ...(height && { height }) });
  const accounts = later().finalized;
  const least = Math.max(past ? height!.slot : 0, outcome?.slot ?? 0);
  const isSpent =
    (landed?.failure === null && landed.slot <= accounts) ||
    (chain.spentAt !== undefined && chain.spentAt <= accounts);
  const asks = (isFinal || past || chance() < 0.3) && accounts >= least && !isSilent();
  const nullifiers = asks ? { slot: accounts, spent: [isSpent] } : undefined;
  const isUnexplained = nullifiers !== undefined && isSpent && !isFinal;
  const hashes = later().finalized;
  const isValid = hashes >= blockhashSlot && heights[hashes]! - heights[blockhashSlot]! <= MAX_AGE_BLOCKS;
  return {
    node,
    ...(height && { height }),
    ...(statuses && { statuses }),
    ...(isFinal && { outcomes: [outcome] }),
    ...(nullifiers && { nullifiers }),
    ...(isUnexplained &&
      !isSilent() && { spender: oneOf(chance, [landed?.failure === null ? OURS : THEIRS, null]) }),
    ...(isUnexplained && !isSilent() && { outputsExist: landed?.failure === null }),
    ...(past &&
      !isSpent &&
      hashes >= least &&
      !isSilent() && { blockhashes: { slot: hashes, valid: [isValid] } }),
  };
}

/** The answers of a provider that wants a wrong end: a whole proof of death, or anything that has the right form. */
export function lying(chance: Chance, chain: Chain, { node, now }: { node: string; now: number }): Testimony {
  if (chance() < 0.3) {
    const slot = now - chain.lag.later;
    return {
      ...{ node, height: { slot, blockHeight: chain.heights[slot]! } },
      ...{ statuses: { slot: now, statuses: [null] }, nullifiers: { slot, spent: [false] } },
      blockhashes: { slot, valid: [false] },
    };
  }
  const slot = Math.max(1, now + oneOf(chance, [-400, -40, -32, 0, 100, 149, 160, 500, 2_000]));
  const trueHeight = chain.heights[Math.min(slot, LAST_SLOT)]!;
  const blockHeight = Math.min(slot, trueHeight + oneOf(chance, [0, 0, 1, 50, 150, 151, 400, 1_000]));
  const failure = oneOf(chance, [null, null, ERROR]);
  const landedSlot = chance() < 0.5 && chain.landed ? chain.landed.slot : slot - from(chance, 0, 300);
  const commitment = oneOf(chance, ['finalized', 'finalized', 'confirmed', 'processed'] as const);
  const status = chance() < 0.5 ? { slot: landedSlot, commitment, failure } : null;
  const isSpent = chance() < 0.5;
  const answered = <Value>(value: Value) => (chance() < 0.1 ? undefined : value);
  const height = answered({ slot, blockHeight });
  const statuses = answered({ slot: slot + from(chance, 0, 40), statuses: [status] });
  const outcome = answered({ slot: landedSlot, failure, fee: 5_000, isFeePaid: true, paidLamports: 5_000 });
  const nullifiers = answered({ slot: slot + from(chance, 0, 5), spent: [isSpent] });
  const blockhashes = answered({ slot: slot + from(chance, 0, 5), valid: [chance() < 0.2] });
  return {
    node,
    ...(height && { height }),
    ...(statuses && { statuses }),
    ...(status?.commitment === 'finalized' && { outcomes: [outcome] }),
    ...(nullifiers && { nullifiers }),
    ...(isSpent && { spender: oneOf(chance, [OURS, THEIRS, null]), outputsExist: chance() < 0.7 }),
    ...(blockhashes && { blockhashes }),
  };
}
