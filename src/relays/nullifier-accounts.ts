import type { JsonObject } from '../kernel/json.js';
import type { Address, AsOf } from '../ledger/index.js';
import type { RelayContext, RelayWork } from './relay-step.js';
import { agreementOf, answered, askAll, evidenceOf, type Agreement, type Testimony } from './testimony.js';

type Owners = { readonly slot: number; readonly owners: readonly (Address | null)[] };

/** What the providers say of the accounts of a request's nullifiers. */
export interface NullifierTestimony {
  readonly said: readonly Testimony<Owners>[];
  /** Whether one of the nullifiers is spent: then no transaction of the request can do what it says any more. */
  readonly spent: Agreement<boolean>;
  /** Whether some provider says so. */
  readonly isSpentForSome: boolean;
  /** The newest slot that was answered for. */
  readonly slot: number;
  readonly evidence: JsonObject[];
}

export async function askNullifiers(
  { nodes }: RelayContext,
  { nullifiers, pool }: RelayWork,
  commitment: 'confirmed' | 'finalized',
  asOf: AsOf = {},
): Promise<NullifierTestimony> {
  const said = await askAll(nodes, (node) => node.accountOwners(nullifiers, { commitment, ...asOf }));
  const spentOf = ({ owners }: Owners) => owners.map((owner) => owner === pool.programId);
  const isSpent = (owners: Owners) => spentOf(owners).includes(true);
  return {
    said,
    spent: agreementOf(said, isSpent),
    isSpentForSome: answered(said).some(({ answer }) => isSpent(answer)),
    slot: Math.max(0, ...answered(said).map(({ answer }) => answer.slot)),
    evidence: evidenceOf(said, (owners) => ({ slot: owners.slot, spent: spentOf(owners) })),
  };
}
