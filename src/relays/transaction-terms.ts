import { LARGEST_COMPUTE_LIMIT } from '../ledger/index.js';

/** Lamports for the one signature of a relay's transaction. */
const SIGNATURE_FEE = 5_000;
const PERCENTILE = 0.9;
/** The state that it lands on is another one than it was simulated on, and can need a little more. */
const MARGIN = 1.1;

/** What the message of a simulation states: no limit of ours, so that what it consumes is measured. */
export const SIMULATION_TERMS = { computeUnits: LARGEST_COMPUTE_LIMIT, microLamportsPerUnit: 0 } as const;

/** The compute limit for a transaction that consumed `units` when it was simulated. */
export const computeLimit = (units: number, most: number) => Math.min(most, Math.ceil(units * MARGIN));

/**
 * The priority fee of a compute unit, in micro-lamports, by what other transactions lately paid for the same accounts:
 * the 90th percentile, so that few are preferred. Providers see different ones; the lowest of theirs is taken, so that none can
 * make a relay dear.
 */
export function priorityFee(fees: readonly (readonly number[])[]): number {
  const percentiles = fees.map((paid) => {
    const sorted = paid.toSorted((one, other) => one - other);
    return sorted[Math.ceil(sorted.length * PERCENTILE) - 1] ?? 0;
  });
  return percentiles.length === 0 ? 0 : Math.min(...percentiles);
}

/** Lamports, rounded up as the ledger does. */
export const feeOf = (computeUnits: number, microLamportsPerUnit: number) =>
  SIGNATURE_FEE + Math.ceil((computeUnits * microLamportsPerUnit) / 1_000_000);

/** The bytes that nodes take: one signature, and the message. */
export const wireTransaction = (message: Uint8Array, signature: Uint8Array) =>
  Uint8Array.from([1, ...signature, ...message]);

/** For a simulation, which checks no signature: nothing is signed that is not sent. */
export const unsignedTransaction = (message: Uint8Array) => wireTransaction(message, new Uint8Array(64));
