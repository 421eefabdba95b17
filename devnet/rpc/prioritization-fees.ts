import type { Chain } from '../chain/chain.js';
import { computeUnitPrice } from '../chain/fees.js';
import type { LandedTransaction } from '../chain/transaction-history.js';
import { isWritable } from '../chain/wire-transaction.js';

/** For how many slots a node remembers what was paid (Agave `PrioritizationFeeCache`). */
const REMEMBERED_SLOTS = 150;

/**
 * The answer of `getRecentPrioritizationFees`: for each slot the least price, in micro-lamports, that landed in it and
 * that wrote to all of `addresses`. A ledger at rest answers its present slot.
 */
export function recentPrioritizationFees(chain: Chain, addresses: readonly string[]) {
  const now = chain.slot('processed');
  const slots = new Map<number, LandedTransaction[]>();
  for (const transaction of chain.history.newestFirst()) {
    if (transaction.slot <= now - REMEMBERED_SLOTS) break;
    slots.set(transaction.slot, [...(slots.get(transaction.slot) ?? []), transaction]);
  }
  if (slots.size === 0) return [{ slot: now, prioritizationFee: 0 }];
  return [...slots].reverse().map(([slot, landed]) => {
    const prices = addresses.map((address) => leastPrice(landed.filter((one) => writes(one, address))));
    return { slot, prioritizationFee: Math.max(leastPrice(landed), ...prices) };
  });
}

function leastPrice(landed: readonly LandedTransaction[]): number {
  return landed.length === 0 ? 0 : Math.min(...landed.map(({ wire }) => computeUnitPrice(wire)));
}

function writes({ keys, wire }: LandedTransaction, address: string): boolean {
  const index = keys.indexOf(address);
  return index >= 0 && isWritable(wire, index);
}
