import { lowMedian } from '../medians.js';
import { MAX_COMPUTE_UNITS } from '../../../platform/ledger/index.js';

/** Lamports for the one signature of a relay's transaction. */
const SIGNATURE_FEE_LAMPORTS = 5_000;
const PERCENTILE = 0.9;
/** The transaction lands on a later state than the one it was simulated on, and can need a little more. */
const MARGIN = 1.1;

/** The terms of a simulated message. They set no limit, so that the actual consumption is measured. */
export const SIMULATION_TERMS = { computeUnits: MAX_COMPUTE_UNITS, microLamportsPerUnit: 0 } as const;

/** The compute limit for a transaction that consumed `units` when it was simulated. */
export const computeLimit = (units: number, most: number) => Math.min(most, Math.ceil(units * MARGIN));

/**
 * The priority fee per compute unit, in micro-lamports: the 90th percentile of what other transactions recently paid for the
 * same accounts. It is the low median of the providers' answers: no single provider makes a relay expensive or too cheap.
 */
export function priorityFee(fees: readonly (readonly number[])[]): number {
  const percentiles = fees.map((paid) => {
    const sorted = paid.toSorted((one, other) => one - other);
    return sorted[Math.ceil(sorted.length * PERCENTILE) - 1] ?? 0;
  });
  return lowMedian(percentiles) ?? 0;
}

/** Factor by which the price per compute unit rises after an attempt that never landed. */
const RAISE = 2;
/** Minimum raised price in micro-lamports, for when the attempt that never landed paid little or nothing. */
const MIN_RAISED_PRICE = 10_000;

/**
 * The price per compute unit of an attempt, in micro-lamports. It is `recent`. After attempts that never landed, it is at least
 * `RAISE` times the highest price among them, but at most what `maxFeeLamports` allows. A higher price needs a new signature,
 * which is made only after the earlier attempts are proven dead.
 */
export function raisedPrice(
  recent: number,
  dead: readonly { readonly computeUnits: number; readonly feeLamports: number }[],
  { computeUnits, maxFeeLamports }: { readonly computeUnits: number; readonly maxFeeLamports: number },
): number {
  if (dead.length === 0) return recent;
  const wanted = Math.max(MIN_RAISED_PRICE, RAISE * Math.max(...dead.map(pricePaid)));
  return Math.max(recent, Math.min(wanted, priceWithin(maxFeeLamports, computeUnits)));
}

const pricePaid = (attempt: { readonly computeUnits: number; readonly feeLamports: number }) =>
  priceWithin(attempt.feeLamports, attempt.computeUnits);

/** The highest price at which `computeUnits` cost at most this fee. */
const priceWithin = (feeLamports: number, computeUnits: number) =>
  Math.floor(((feeLamports - SIGNATURE_FEE_LAMPORTS) * 1_000_000) / computeUnits);

/** The fee in lamports, rounded up as the ledger does. */
export const feeOf = (computeUnits: number, microLamportsPerUnit: number) =>
  SIGNATURE_FEE_LAMPORTS + Math.ceil((computeUnits * microLamportsPerUnit) / 1_000_000);

/** The transaction bytes that nodes accept: one signature and the message. */
export const wireTransaction = (message: Uint8Array, signature: Uint8Array) =>
  Uint8Array.from([1, ...signature, ...message]);

/** For a simulation, which checks no signature. Only transactions that are sent are signed. */
export const unsignedTransaction = (message: Uint8Array) => wireTransaction(message, new Uint8Array(64));
