import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import type { Address, AsOf } from '../../../platform/ledger/index.js';
import type { RelayContext, RelayWork } from './relay-step.js';
import { spentOf } from '../evidence/interview.js';
import {
  agreementOf,
  answered,
  askAll,
  evidenceOf,
  type Agreement,
  type Answered,
} from '../evidence/answers.js';
import { contradictedNullifiers, type NullifiersSeen } from '../evidence/contradictions.js';

type Owners = { readonly slot: number; readonly owners: readonly (Address | null)[] };

/** What the providers answer about the nullifier accounts of a request without a signed transaction. */
export interface NullifierAnswers {
  /** Whether a nullifier is spent. Then no transaction of the request can succeed. */
  readonly spent: Agreement<boolean>;
  readonly isSpentForSome: boolean;
  /** Whether at least half of the providers show all nullifiers as free, and none contradicts: enough to try. */
  readonly isFreeToTry: boolean;
  readonly evidence: JsonObject[];
  /** Providers that a majority contradicts, for the evidence. */
  readonly leftOut: JsonObject[];
}

export async function askNullifiers(
  { lanes, metrics }: RelayContext,
  { nullifiers, pool }: RelayWork,
  commitment: 'confirmed' | 'finalized',
  asOf: AsOf = {},
): Promise<NullifierAnswers> {
  const answers = await askAll(lanes, (node) => node.accountOwners(nullifiers, { commitment, ...asOf }));
  const isSpent = ({ owners }: Owners) => spentOf(owners, pool.programId).includes(true);
  const known = answered(answers);
  // Only finalized answers can contradict each other: a nullifier that is not finalized may become free again.
  const seen = commitment === 'finalized' ? known.map((one) => seenOf(one, pool.programId)) : [];
  const lying = contradictedNullifiers(seen, lanes.all.length);
  for (const node of lying) metrics.providerLied(node);
  const isSpentForSome = known.some(({ answer }) => isSpent(answer));
  return {
    spent: agreementOf(answers, isSpent),
    isSpentForSome,
    isFreeToTry: !isSpentForSome && known.length > 0 && 2 * known.length >= lanes.all.length,
    evidence: evidenceOf(answers, ({ slot, owners }) => ({ slot, spent: spentOf(owners, pool.programId) })),
    leftOut: lying.map((node) => ({ node, lie: 'contradicted' })),
  };
}

const seenOf = ({ node, answer }: Answered<Owners>, programId: Address): NullifiersSeen => ({
  node,
  slot: answer.slot,
  spent: spentOf(answer.owners, programId),
});
