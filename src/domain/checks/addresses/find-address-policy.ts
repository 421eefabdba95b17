import type { Foundation } from '../../../platform/database/index.js';
import type { Principal } from '../../access/index.js';
import { requireAddresses } from './address-access.js';
import { type AddressPolicy, readAddressPolicy } from './address-policy.js';

export async function findAddressPolicy(
  foundation: Foundation,
  principal: Principal | undefined,
  foreignId: string,
): Promise<AddressPolicy> {
  const { application } = await requireAddresses(foundation, principal, foreignId);
  return readAddressPolicy(foundation.database, application.id);
}
