import type { Id } from '../../../platform/kernel/ids.js';
import type { CaseTransaction } from './case-transaction.js';
import { CASE_TRANSACTION_TYPES, type CaseTransactionType } from './case-transaction-types.js';

/** The direction of value: into the confidential balances of an asset, out of them, or between them. */
export type CaseFlow = 'in' | 'out' | 'within';

const FLOW_OF_TYPE = {
  confidential_deposit: 'in',
  confidential_mint: 'in',
  confidential_withdraw: 'out',
  confidential_burn: 'out',
  confidential_transfer: 'within',
  confidential_transfer_with_fee: 'within',
} as const satisfies Record<CaseTransactionType, CaseFlow>;

/** The total of the records of one type. */
export interface CaseTotal {
  readonly type: CaseTransactionType;
  readonly flow: CaseFlow;
  /** Records of the type, including those without a known amount. */
  readonly count: number;
  /** The sum of the shown amounts in base units, as a decimal string. */
  readonly amount: string;
  /** Records whose amount is not in the sum: no key decrypts it, or the case does not show it. */
  readonly undecryptable: number;
  readonly restricted: number;
}

export interface CaseAssetTotals {
  readonly assetId: Id<'ast'>;
  readonly symbol: string;
  readonly decimals: number;
  /** One for each type that has records. */
  readonly totals: readonly CaseTotal[];
}

interface Sum {
  count: number;
  amount: bigint;
  undecryptable: number;
  restricted: number;
}

/** Sums up masked records, so a sum reveals nothing that the records hide. Memory grows with the assets, not with the records. */
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
    /** Sorted by the assets' ids. */
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
