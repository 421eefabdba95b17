import { recordActivity } from '../activity-log/index.js';
import { sql, type Foundation } from '../database/index.js';
import { parseText } from '../kernel/text.js';
import { actorOf, type Principal } from '../organizations/index.js';
import { requireAddresses } from './address-access.js';
import { nextPolicyVersion } from './address-policy.js';
import { mayBecomeFrom, type AddressStatus } from './address-state.js';
import { parseCheckedAddress, parseNetwork } from './check-subject.js';
import { ADDRESS_COLUMNS, type ListedAddress } from './listed-address.js';

export interface SetAddressStatusInput {
  /** The foreignId. */
  readonly application: string;
  readonly network: string;
  readonly address: string;
  readonly reason: string;
}

/** Lists an address as `status`. One that is listed so already stays as it is, and nothing is logged. */
export async function setAddressStatus(
  foundation: Foundation,
  principal: Principal | undefined,
  input: SetAddressStatusInput,
  status: AddressStatus,
): Promise<ListedAddress> {
  const { user, application } = await requireAddresses(foundation, principal, input.application);
  const network = parseNetwork(input.network);
  const address = parseCheckedAddress(input.address);
  const reason = parseText('reason', input.reason, 2000);
  const now = foundation.clock.now();
  return foundation.database.transaction(async (transaction) => {
    const [changed] = await transaction.rows(sql<ListedAddress>`
      insert into application_addresses
        (application_id, network, address, status, reason, changed_by, changed_at)
      values (${application.id}, ${network}, ${address}, ${status}, ${reason}, ${user.userId}, ${now})
      on conflict (application_id, network, address) do update
        set status = excluded.status, reason = excluded.reason, changed_by = excluded.changed_by,
          changed_at = excluded.changed_at
        where application_addresses.status = any(${[...mayBecomeFrom(status)]}::text[])
      returning ${ADDRESS_COLUMNS}`);
    if (!changed) {
      const [standing] = await transaction.rows(sql<ListedAddress>`
        select ${ADDRESS_COLUMNS} from application_addresses
        where application_id = ${application.id} and network = ${network} and address = ${address}`);
      if (!standing) throw new Error('The address that stood in the way cannot be read.');
      return standing;
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
