import { parseOneOf } from '../../platform/kernel/enums/enums.js';
import { invalidMember, invalidMembers, isLucarneError, parseMembers } from '../../platform/kernel/errors.js';
import { NETWORKS, type Network } from '../../platform/kernel/enums/network.js';
import { isAddress, type Address } from '../../platform/ledger/index.js';
import { parseText } from '../../platform/kernel/text.js';

/** The subject of a check. */
export interface CheckSubject {
  readonly network: Network;
  readonly address: Address;
  /** The public check id of the application. */
  readonly checkApplicationId: string;
}

export interface CheckInput {
  readonly network: string;
  readonly address: string;
  readonly checkApplicationId: string;
}

/** @throws `BAD_USER_INPUT` with the reason `invalid_network`, `invalid_address` or `invalid_request`. */
export function parseSubject(input: CheckInput): CheckSubject {
  return parseMembers({
    network: () => parseNetwork(input.network),
    address: () => parseCheckedAddress(input.address),
    checkApplicationId: () => parseCheckApplicationId(input.checkApplicationId),
  });
}

export function parseNetwork(value: string): Network {
  return parseOneOf('network', NETWORKS, value, { reason: 'invalid_network' });
}

export function parseCheckedAddress(value: string): Address {
  if (!isAddress(value)) {
    throw invalidMember('address', 'must be 32 bytes in base58', { reason: 'invalid_address' });
  }
  return value;
}

function parseCheckApplicationId(value: string): string {
  try {
    return parseText('checkApplicationId', value, 128);
  } catch (thrown) {
    throw isLucarneError(thrown) ? invalidMembers(thrown.members, { reason: 'invalid_request' }) : thrown;
  }
}
