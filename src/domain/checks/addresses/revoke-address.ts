import type { Foundation } from '../../../platform/database/index.js';
import type { Principal } from '../../access/index.js';
import type { ListedAddress } from './listed-address.js';
import { setAddressStatus, type SetAddressStatusInput } from './set-address-status.js';

/** From now on the address is refused for the application, also one that was never approved. */
export function revokeAddress(
  foundation: Foundation,
  principal: Principal | undefined,
  input: SetAddressStatusInput,
): Promise<ListedAddress> {
  return setAddressStatus(foundation, principal, input, 'revoked');
}
