import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import type { Address, AsOf } from '../../../platform/ledger/index.js';
import type { RelayContext, RelayWork } from '../execution/relay-step.js';
import { spentOf } from './interview.js';
import { agreementOf, answered, askAll, evidenceOf, type Agreement } from './answers.js';

type Owners = { readonly slot: number; readonly owners: readonly (Address | null)[] };

/** What the providers say about the nullifier accounts of a request for which nothing is signed. */
export interface NullifierAnswers {
  /** Whether a nullifier is spent: then no transaction of the request can succeed. */
  readonly spent: Agreement<boolean>;
  readonly isSpentForSome: boolean;
  /** Whether at least half of the providers say that all are free, and none says otherwise: enough to try. */
  readonly isFreeToTry: boolean;
  readonly evidence: JsonObject[];
}

export async function askNullifiers(
  { lanes }: RelayContext,
  { nullifiers, pool }: RelayWork,
  commitment: 'confirmed' | 'finalized',
  asOf: AsOf = {},
): Promise<NullifierAnswers> {
  const answers = await askAll(lanes, (node) => node.accountOwners(nullifiers, { commitment, ...asOf }));
  const isSpent = ({ owners }: Owners) => spentOf(owners, pool.programId).includes(true);
  const known = answered(answers);
  const isSpentForSome = known.some(({ answer }) => isSpent(answer));
  return {
    spent: agreementOf(answers, isSpent),
    isSpentForSome,
    isFreeToTry: !isSpentForSome && known.length > 0 && 2 * known.length >= lanes.all.length,
    evidence: evidenceOf(answers, ({ slot, owners }) => ({ slot, spent: spentOf(owners, pool.programId) })),
  };
}
