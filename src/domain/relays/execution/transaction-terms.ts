import { lowMedian } from '../medians.js';
import { MAX_COMPUTE_UNITS } from '../../../platform/ledger/index.js';

/** Lamports for the one signature of a relay's transaction. */
const SIGNATURE_FEE_LAMPORTS = 5_000;
const PERCENTILE = 0.9;
/** The state that it lands on is another one than it was simulated on, and can need a little more. */
const MARGIN = 1.1;

/** What the message of a simulation states: no limit of ours, so that what it consumes is measured. */
export const SIMULATION_TERMS = { computeUnits: MAX_COMPUTE_UNITS, microLamportsPerUnit: 0 } as const;

/** The compute limit for a transaction that consumed `units` when it was simulated. */
export const computeLimit = (units: number, most: number) => Math.min(most, Math.ceil(units * MARGIN));

/**
 * The priority fee of a compute unit, in micro-lamports, by what other transactions recently paid for the same accounts:
 * the 90th percentile. Of the providers' answers the low median counts, so that none alone makes a relay expensive or
 * keeps it from landing.
 */
export function priorityFee(fees: readonly (readonly number[])[]): number {
  const percentiles = fees.map((paid) => {
    const sorted = paid.toSorted((one, other) => one - other);
    return sorted[Math.ceil(sorted.length * PERCENTILE) - 1] ?? 0;
  });
  return lowMedian(percentiles) ?? 0;
}

/** How much more the next attempt pays for a compute unit than one that never landed. */
const RAISE = 2;
/** Micro-lamports; where the attempt that never landed paid nothing or little. */
const MIN_RAISED_PRICE = 10_000;

/**
 * The price of a compute unit for an attempt, in micro-lamports: `recent`, and after attempts that never landed at least
 * `RAISE` times what the dearest of them paid, but only up to what `maxFeeLamports` leaves. An attempt is raised only by
 * a new signature, and there is none before it is proven that the earlier ones are dead.
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

/** The highest price with which `computeUnits` cost at most this fee. */
const priceWithin = (feeLamports: number, computeUnits: number) =>
  Math.floor(((feeLamports - SIGNATURE_FEE_LAMPORTS) * 1_000_000) / computeUnits);

/** Lamports, rounded up as the ledger does. */
export const feeOf = (computeUnits: number, microLamportsPerUnit: number) =>
  SIGNATURE_FEE_LAMPORTS + Math.ceil((computeUnits * microLamportsPerUnit) / 1_000_000);

/** The bytes that nodes take: one signature, and the message. */
export const wireTransaction = (message: Uint8Array, signature: Uint8Array) =>
  Uint8Array.from([1, ...signature, ...message]);

/** For a simulation, which checks no signature: nothing is signed that is not sent. */
export const unsignedTransaction = (message: Uint8Array) => wireTransaction(message, new Uint8Array(64));
