import { batchedByIds, type Foundation, type Owned, query } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';

/** The policy that decided a disclosure, or that left the decision to a person. */
export interface JudgingPolicy {
  readonly id: Id<'dpl'>;
  readonly key: string;
  readonly name: string;
}

export type JudgingPolicyOf = (disclosure: Owned) => Promise<JudgingPolicy | null>;

/**
 * The policy of a disclosure's asset judges it at its request, if the policy exists by then. Neither the policy of an asset nor
 * a policy ever changes, so this is known from both. One statement reads all policies that are requested together.
 */
export function createJudgingPolicyOf({ database }: Pick<Foundation, 'database'>): JudgingPolicyOf {
  const policies = batchedByIds((isWanted) =>
    database.rows(
      query
        .selectFrom(
          query
            .selectFrom('disclosures')
            .select(['id', 'organization_id', 'asset_id', 'policy_id', 'requested_at'])
            .where(isWanted)
            .as('judged'),
        )
        .innerJoin('assets', 'assets.id', 'judged.asset_id')
        .innerJoin('disclosure_policies as policies', (join) =>
          join
            .onRef('policies.organization_id', '=', 'judged.organization_id')
            .on((row) =>
              row.or([
                row('policies.id', '=', row.ref('judged.policy_id')),
                row.and([
                  row('judged.policy_id', 'is', null),
                  row('policies.created_at', '<=', row.ref('judged.requested_at')),
                  row.or([
                    row(row.cast<string>('policies.id', 'text'), '=', row.ref('assets.disclosure_policy_id')),
                    row('policies.key', '=', row.ref('assets.disclosure_policy_id')),
                  ]),
                ]),
              ]),
            ),
        )
        .select([
          'judged.organization_id as organizationId',
          'judged.id as id',
          'policies.id as policyId',
          'policies.key as key',
          'policies.name as name',
        ]),
    ),
  );
  return async ({ organizationId, id }) => {
    const [policy] = await policies({ organizationId, ids: [id] });
    return policy ? { id: policy.policyId, key: policy.key, name: policy.name } : null;
  };
}
