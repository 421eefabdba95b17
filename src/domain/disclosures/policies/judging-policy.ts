import { batchedByIds, type Foundation, query } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import type { Disclosure } from '../disclosure.js';

/** The policy that decided a disclosure, or that left the decision to a person. */
export interface JudgingPolicy {
  readonly id: Id<'dpl'>;
  readonly key: string;
  readonly name: string;
}

export type JudgingPolicyOf = (
  disclosure: Pick<Disclosure, 'organizationId' | 'policyId' | 'reviewPolicyId'>,
) => Promise<JudgingPolicy | null>;

/** One statement reads all policies that are requested together. */
export function createJudgingPolicyOf({ database }: Pick<Foundation, 'database'>): JudgingPolicyOf {
  const policies = batchedByIds((isWanted) =>
    database.rows(
      query
        .selectFrom('disclosure_policies')
        .select(['organization_id as organizationId', 'id', 'key', 'name'])
        .where(isWanted),
    ),
  );
  return async ({ organizationId, policyId, reviewPolicyId }) => {
    const id = policyId ?? reviewPolicyId;
    if (id === null) return null;
    const [policy] = await policies({ organizationId, ids: [id] });
    return policy ?? null;
  };
}
