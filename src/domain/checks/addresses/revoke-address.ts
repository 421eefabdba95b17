import type { Foundation } from '../../../platform/database/index.js';
import type { Principal } from '../../access/index.js';
import type { ListedAddress } from './listed-address.js';
import { setAddressStatus, type SetAddressStatusInput } from './set-address-status.js';

/** Refuses the address for the application from now on, even if it was never approved. */
export function revokeAddress(
  foundation: Foundation,
  principal: Principal | undefined,
  input: SetAddressStatusInput,
): Promise<ListedAddress> {
  return setAddressStatus(foundation, principal, input, 'revoked');
}
