import type { Id } from '../kernel/ids.js';
import {
  CASE_TRANSACTION_TYPES,
  type CaseTransaction,
  type CaseTransactionType,
} from './case-transaction.js';

/** Where value goes: into the confidential balances of an asset, out of them, or from one to another. */
export const CASE_FLOWS = ['in', 'out', 'within'] as const;
export type CaseFlow = (typeof CASE_FLOWS)[number];

export const FLOW_OF_TYPE = {
  confidential_deposit: 'in',
  confidential_mint: 'in',
  confidential_withdraw: 'out',
  confidential_burn: 'out',
  confidential_transfer: 'within',
  confidential_transfer_with_fee: 'within',
} as const satisfies Record<CaseTransactionType, CaseFlow>;

/** What the records of one type move. */
export interface CaseTotal {
  readonly type: CaseTransactionType;
  readonly flow: CaseFlow;
  /** Records of the type, those without a known amount too. */
  readonly count: number;
  /** The sum of the amounts that are shown: base units, a decimal string. */
  readonly amount: string;
  /** Records whose amount no key opens, and records whose amount the case does not show. Not in the sum. */
  readonly undecryptable: number;
  readonly restricted: number;
}

export interface CaseAssetTotals {
  readonly assetId: Id<'ast'>;
  readonly symbol: string;
  readonly decimals: number;
  /** One for each type that there are records of. */
  readonly totals: readonly CaseTotal[];
}

interface Sum {
  count: number;
  amount: bigint;
  undecryptable: number;
  restricted: number;
}

/**
 * Sums up records as they were masked, so that no sum tells what the records do not. Its size is that of the assets,
 * however many records are added.
 */
export function caseTotals() {
  const assets = new Map<
    Id<'ast'>,
    Pick<CaseAssetTotals, 'symbol' | 'decimals'> & { readonly sums: Map<CaseTransactionType, Sum> }
  >();

  const sumOf = ({ assetId, symbol, decimals, type }: CaseTransaction): Sum => {
    const asset = assets.get(assetId) ?? { symbol, decimals, sums: new Map<CaseTransactionType, Sum>() };
    assets.set(assetId, asset);
    const sum = asset.sums.get(type) ?? { count: 0, amount: 0n, undecryptable: 0, restricted: 0 };
    asset.sums.set(type, sum);
    return sum;
  };

  return {
    add(transactions: readonly CaseTransaction[]): void {
      for (const transaction of transactions) {
        const sum = sumOf(transaction);
        sum.count += 1;
        if (transaction.amount !== null) sum.amount += BigInt(transaction.amount);
        else if (transaction.undecryptable) sum.undecryptable += 1;
        else sum.restricted += 1;
      }
    },
    /** In the order of the assets' ids. */
    result(): CaseAssetTotals[] {
      return [...assets]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([assetId, { symbol, decimals, sums }]) => ({
          assetId,
          symbol,
          decimals,
          totals: CASE_TRANSACTION_TYPES.flatMap((type) => {
            const sum = sums.get(type);
            return sum ? [{ type, flow: FLOW_OF_TYPE[type], ...sum, amount: sum.amount.toString() }] : [];
          }),
        }));
    },
  };
}
