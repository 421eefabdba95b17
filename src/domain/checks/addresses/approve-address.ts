import type { Foundation } from '../../../platform/database/index.js';
import type { Principal } from '../../access/index.js';
import type { ListedAddress } from './listed-address.js';
import { setAddressStatus, type SetAddressStatusInput } from './set-address-status.js';

/** Approves the address for the application from now on, unless screening objects. */
export function approveAddress(
  foundation: Foundation,
  principal: Principal | undefined,
  input: SetAddressStatusInput,
): Promise<ListedAddress> {
  return setAddressStatus(foundation, principal, input, 'approved');
}
