import { recordActivity } from '../../activity-log/index.js';
import { type Foundation, query, valuesOf, violatedConstraint } from '../../../platform/database/index.js';
import { conflict } from '../../../platform/kernel/errors.js';
import { newId } from '../../../platform/kernel/ids.js';
import { actingAs, actorOf, type Principal, requireProposer } from '../../access/index.js';
import { withSecondPerson } from '../../organizations/index.js';
import { DisclosurePolicyEntity } from '../disclosure.entity.js';
import { type DisclosurePolicy, type DisclosurePolicyInput, parsePolicyInput } from './disclosure-policy.js';

/** Creates a policy, which never changes. It decides about the disclosures of assets that name its id or key. */
export async function createDisclosurePolicy(
  foundation: Foundation,
  principal: Principal | undefined,
  input: DisclosurePolicyInput,
): Promise<DisclosurePolicy> {
  const caller = requireProposer(foundation, principal, 'createDisclosurePolicy');
  const { organizationId } = caller;
  const { key, name, rules } = parsePolicyInput(input);
  try {
    const authorizes = rules.inside === 'authorize' || rules.outside === 'authorize';
    const proposal = {
      operation: 'createDisclosurePolicy',
      onePerson: !authorizes,
      input: { key, name, rules: { ...rules } },
    } as const;
    const acting = actingAs(caller);
    return await withSecondPerson(foundation, acting, proposal, async (transaction) => {
      const createdAt = foundation.clock.now();
      const policy: DisclosurePolicy = { id: newId('dpl'), organizationId, key, name, rules, createdAt };
      await transaction.rows(
        query.insertInto('disclosure_policies').values(valuesOf(DisclosurePolicyEntity, policy)),
      );
      await recordActivity(transaction, {
        organizationId,
        eventType: 'policy.created',
        actor: actorOf(caller),
        object: { type: 'disclosure_policy', id: policy.id, key, name },
        details: { rules: { ...rules } },
        at: createdAt,
      });
      return policy;
    });
  } catch (thrown) {
    if (violatedConstraint(thrown)) throw conflict('The organization already has a policy with this key.');
    throw thrown;
  }
}
