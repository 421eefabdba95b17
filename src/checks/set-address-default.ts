import { recordActivity } from '../activity-log/index.js';
import { sql, type Foundation } from '../database/index.js';
import { parseText } from '../kernel/text.js';
import { actorOf, type Principal } from '../organizations/index.js';
import { requireAddresses } from './address-access.js';
import { readAddressPolicy, type AddressPolicy } from './address-policy.js';

export interface SetAddressDefaultInput {
  /** The foreignId. */
  readonly application: string;
  readonly approvedByDefault: boolean;
  readonly reason: string;
}

/** Says whether addresses that are not listed are approved. Where it is so already, nothing changes. */
export async function setAddressDefault(
  foundation: Foundation,
  principal: Principal | undefined,
  input: SetAddressDefaultInput,
): Promise<AddressPolicy> {
  const { user, application } = await requireAddresses(foundation, principal, input.application);
  const reason = parseText('reason', input.reason, 2000);
  const { approvedByDefault } = input;
  const now = foundation.clock.now();
  return foundation.database.transaction(async (transaction) => {
    // What an application without a row has: off, and no change yet.
    await transaction.rows(sql`
      insert into address_policies (application_id, approved_by_default, version)
      values (${application.id}, false, 0) on conflict (application_id) do nothing`);
    const [changed] = await transaction.rows(sql<AddressPolicy>`
      update address_policies set approved_by_default = ${approvedByDefault}, version = version + 1
      where application_id = ${application.id} and approved_by_default <> ${approvedByDefault}
      returning approved_by_default as "approvedByDefault", version`);
    if (!changed) return readAddressPolicy(transaction, application.id);
    await recordActivity(transaction, {
      organizationId: user.organizationId,
      eventType: 'application.updated',
      actor: actorOf(user),
      object: { foreign_id: application.foreignId, name: application.name },
      details: {
        addresses_approved_by_default: approvedByDefault,
        reason,
        policy_version: changed.version,
      },
      application,
      at: now,
    });
    return changed;
  });
}
