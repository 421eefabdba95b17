import { badUserInput, isLucarneError } from '../kernel/errors.js';
import { isAddress, type Address } from '../ledger/index.js';
import { parseText } from '../kernel/text.js';

/** The networks whose addresses can be checked. */
export const NETWORKS = ['solana'] as const;
export type Network = (typeof NETWORKS)[number];

/** What a check is about. */
export interface CheckSubject {
  readonly network: Network;
  readonly address: Address;
  /** The public id of an application, as it was asked for. */
  readonly applicationId: string;
}

export interface CheckInput {
  readonly network: string;
  readonly address: string;
  readonly applicationId: string;
}

/** @throws `BAD_USER_INPUT` with the reason `invalid_network`, `invalid_address` or `invalid_request`. */
export function parseSubject(input: CheckInput): CheckSubject {
  return {
    network: parseNetwork(input.network),
    address: parseCheckedAddress(input.address),
    applicationId: parseApplicationId(input.applicationId),
  };
}

export function parseNetwork(value: string): Network {
  const network = NETWORKS.find((known) => known === value);
  if (!network)
    throw badUserInput(`network must be one of ${NETWORKS.join(', ')}.`, { reason: 'invalid_network' });
  return network;
}

export function parseCheckedAddress(value: string): Address {
  if (!isAddress(value)) {
    throw badUserInput('address must be 32 bytes in base58.', { reason: 'invalid_address' });
  }
  return value;
}

function parseApplicationId(value: string): string {
  try {
    return parseText('applicationId', value, 128);
  } catch (thrown) {
    throw isLucarneError(thrown) ? badUserInput(thrown.message, { reason: 'invalid_request' }) : thrown;
  }
}
