import { recordActivity } from '../activity-log/index.js';
import { violatedConstraint, type Foundation } from '../database/index.js';
import { conflict } from '../kernel/errors.js';
import { newId } from '../kernel/ids.js';
import { actorOf, requireOwnerPermission, type Principal } from '../organizations/index.js';
import { DisclosurePolicyEntity } from './disclosure.entity.js';
import { parsePolicyInput, type DisclosurePolicy, type DisclosurePolicyInput } from './disclosure-policy.js';

/** Makes a policy, which never changes: assets name it by its id or key, and then it decides their disclosures. */
export async function createDisclosurePolicy(
  foundation: Foundation,
  principal: Principal | undefined,
  input: DisclosurePolicyInput,
): Promise<DisclosurePolicy> {
  const caller = requireOwnerPermission(principal, 'policies:manage');
  const { organizationId } = caller;
  const { key, name, rules } = parsePolicyInput(input);
  const createdAt = foundation.clock.now();
  const policy: DisclosurePolicy = { id: newId('dpl'), organizationId, key, name, rules, createdAt };
  try {
    await foundation.database.transaction(async (transaction) => {
      await transaction.em.insert(DisclosurePolicyEntity, policy);
      await recordActivity(transaction, {
        organizationId,
        eventType: 'policy.created',
        actor: actorOf(caller),
        object: { type: 'disclosure_policy', id: policy.id, key, name },
        details: { rules: { ...rules } },
        at: createdAt,
      });
    });
  } catch (thrown) {
    if (violatedConstraint(thrown)) throw conflict('The organization has a policy of this key.');
    throw thrown;
  }
  return policy;
}
