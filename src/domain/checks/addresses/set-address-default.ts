import { recordActivity } from '../../activity-log/index.js';
import { type Foundation, query, sql } from '../../../platform/database/index.js';
import { parseReason } from '../../../platform/kernel/text.js';
import { actingAs, actorOf, type Principal, requireFreshFactor } from '../../access/index.js';
import { withSecondPerson } from '../../organizations/index.js';
import { requireAddresses } from './address-access.js';
import { ADDRESS_POLICY_COLUMNS, type AddressPolicy, readAddressPolicy } from './address-policy.js';

export interface SetAddressDefaultInput {
  readonly foreignId: string;
  readonly approvedByDefault: boolean;
  readonly reason: string;
}

/** Sets whether addresses that are not listed are approved. Setting the current value changes nothing. */
export async function setAddressDefault(
  foundation: Foundation,
  principal: Principal | undefined,
  input: SetAddressDefaultInput,
): Promise<AddressPolicy> {
  const { user, application } = await requireAddresses(foundation, principal, input.foreignId);
  requireFreshFactor(foundation, user, 'setAddressDefault');
  const reason = parseReason(input.reason);
  const { approvedByDefault } = input;
  const now = foundation.clock.now();
  const acting = actingAs(user);
  const proposal = {
    operation: 'setAddressDefault',
    onePerson: !approvedByDefault,
    input: { foreign_id: input.foreignId },
    applicationId: application.id,
  } as const;
  return withSecondPerson(foundation, acting, proposal, async (transaction) => {
    // An application without a row has the initial default: off, version 0.
    await transaction.rows(
      query
        .insertInto('address_policies')
        .values({ application_id: application.id, approved_by_default: false, version: 0 })
        .onConflict((policy) => policy.column('application_id').doNothing()),
    );
    const [changed] = await transaction.rows(
      query
        .updateTable('address_policies')
        .set({ approved_by_default: approvedByDefault, version: sql<number>`version + 1` })
        .where('application_id', '=', application.id)
        .where('approved_by_default', '<>', approvedByDefault)
        .returning(ADDRESS_POLICY_COLUMNS),
    );
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
