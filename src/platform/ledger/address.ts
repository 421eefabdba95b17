import { base58 } from '../kernel/encoding/bytes.js';
import { invalidMember } from '../kernel/errors.js';

/** The address of an account: 32 bytes in base58. */
export type Address = string & { readonly __address: true };

/** The first signature of a transaction, which identifies it on the ledger: 64 bytes in base58. */
export type Signature = string & { readonly __signature: true };

const ADDRESS_BYTES = 32;
const SIGNATURE_BYTES = 64;

export function isAddress(value: unknown): value is Address {
  return typeof value === 'string' && base58.decode(value, ADDRESS_BYTES) !== undefined;
}

/** @throws {TypeError} if the text is not 32 bytes in base58. */
function assertAddress(value: unknown): asserts value is Address {
  if (!isAddress(value)) throw new TypeError('An address is 32 bytes in base58.');
}

/** @throws {TypeError} if the text is not 32 bytes in base58. */
export function address(value: string): Address {
  assertAddress(value);
  return value;
}

/** Parses an address in a request body. Any other value is `BAD_USER_INPUT` with the name of the member. */
export function parseAddress(member: string, value: unknown): Address {
  if (!isAddress(value)) throw invalidMember(member, 'must be an address: 32 bytes in base58');
  return value;
}

export function addressFromBytes(bytes: Uint8Array): Address {
  if (bytes.length !== ADDRESS_BYTES) throw new TypeError('An address is 32 bytes.');
  return base58.encode(bytes) as Address;
}

export function addressBytes(value: Address): Uint8Array {
  const bytes = base58.decode(value, ADDRESS_BYTES);
  if (bytes === undefined) throw new TypeError('An address is 32 bytes in base58.');
  return bytes;
}

export function isSignature(value: unknown): value is Signature {
  return typeof value === 'string' && base58.decode(value, SIGNATURE_BYTES) !== undefined;
}

/** @throws {TypeError} if the text is not 64 bytes in base58. */
function assertSignature(value: unknown): asserts value is Signature {
  if (!isSignature(value)) throw new TypeError('A signature is 64 bytes in base58.');
}

/** @throws {TypeError} if the text is not 64 bytes in base58. */
export function signature(value: string): Signature {
  assertSignature(value);
  return value;
}
