import { recordActivity } from '../../activity-log/index.js';
import { type Foundation, query } from '../../../platform/database/index.js';
import { parseMembers } from '../../../platform/kernel/errors.js';
import { parseReason } from '../../../platform/kernel/text.js';
import { actingAs, actorOf, type Principal, requireFreshFactor } from '../../access/index.js';
import { withSecondPerson } from '../../organizations/index.js';
import { requireAddresses } from './address-access.js';
import { nextPolicyVersion } from './address-policy.js';
import { type AddressStatus, mayBecomeFrom } from './address-state.js';
import { parseCheckedAddress, parseNetwork } from '../check-subject.js';
import { LISTED_ADDRESS_COLUMNS, type ListedAddress } from './listed-address.js';

interface SetAddressStatusInput {
  readonly foreignId: string;
  readonly network: string;
  readonly address: string;
  readonly reason: string;
}

/** Approves the address for the application from now on, unless screening objects. */
export const approveAddress = (
  foundation: Foundation,
  principal: Principal | undefined,
  input: SetAddressStatusInput,
): Promise<ListedAddress> => setAddressStatus(foundation, principal, input, 'approved');

/** Refuses the address for the application from now on, even if it was never approved. */
export const revokeAddress: typeof approveAddress = (foundation, principal, input) =>
  setAddressStatus(foundation, principal, input, 'revoked');

/** Lists an address with `status`. If it already has this status, nothing changes and nothing is logged. */
async function setAddressStatus(
  foundation: Foundation,
  principal: Principal | undefined,
  input: SetAddressStatusInput,
  status: AddressStatus,
): Promise<ListedAddress> {
  const { user, application } = await requireAddresses(foundation, principal, input.foreignId);
  if (status === 'approved') requireFreshFactor(foundation, user, 'approveAddress');
  const { network, address, reason } = parseMembers({
    network: () => parseNetwork(input.network),
    address: () => parseCheckedAddress(input.address),
    reason: () => parseReason(input.reason),
  });
  const now = foundation.clock.now();
  const acting = actingAs(user);
  const proposal = {
    // A revocation needs the same permission.
    operation: 'approveAddress',
    onePerson: status === 'revoked',
    input: { foreign_id: input.foreignId, network, address },
    applicationId: application.id,
  } as const;
  return withSecondPerson(foundation, acting, proposal, async (transaction) => {
    const change = { status, reason, changed_by: user.userId, changed_at: now };
    const [changed] = await transaction.rows(
      query
        .insertInto('application_addresses')
        .values({ application_id: application.id, network, address, ...change })
        .onConflict((listed) =>
          listed
            .columns(['application_id', 'network', 'address'])
            .doUpdateSet(change)
            .where('application_addresses.status', 'in', mayBecomeFrom(status)),
        )
        .returning(LISTED_ADDRESS_COLUMNS),
    );
    if (!changed) {
      const [unchanged] = await transaction.rows(
        query
          .selectFrom('application_addresses')
          .select(LISTED_ADDRESS_COLUMNS)
          .where('application_id', '=', application.id)
          .where('network', '=', network)
          .where('address', '=', address),
      );
      if (!unchanged) throw new Error('The listed address cannot be read.');
      return unchanged;
    }
    await recordActivity(transaction, {
      organizationId: user.organizationId,
      eventType: status === 'approved' ? 'address.approved' : 'address.revoked',
      actor: actorOf(user),
      object: { type: 'address', network, address },
      details: { reason, policy_version: await nextPolicyVersion(transaction, application.id) },
      application,
      at: now,
    });
    return changed;
  });
}
