import { base58 as anyBase58 } from '@scure/base';
import { base58, base64 } from '../../src/platform/kernel/encoding/bytes.js';
import { isJsonObject, type JsonValue } from '../../src/platform/kernel/encoding/json.js';
import type { Commitment } from '../chain/chain.js';

/** An error answer of JSON-RPC 2.0; codes below -32000 are Solana's (`rpc-client-types`, `custom_error.rs`). */
export class RpcError extends Error {
  override readonly name = 'RpcError';

  constructor(
    readonly code: number,
    message: string,
    readonly data?: JsonValue,
  ) {
    super(message);
  }
}

export const invalidParameters = (message: string) => new RpcError(-32602, message);

/** The positional parameters of one call, each read and checked by name; every failure is -32602. */
export class RpcParameters {
  private readonly values: readonly unknown[];

  constructor(values: unknown) {
    if (values !== undefined && values !== null && !Array.isArray(values)) {
      throw invalidParameters('Invalid params: expected an array.');
    }
    this.values = (values ?? []) as readonly unknown[];
  }

  text(index: number): string {
    const value = this.values[index];
    if (typeof value !== 'string')
      throw invalidParameters(`Invalid params: parameter ${index} must be a string.`);
    return value;
  }

  integer(index: number): number {
    const value = this.values[index];
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
      throw invalidParameters(`Invalid params: parameter ${index} must be an unsigned integer.`);
    }
    return value;
  }

  address(index: number): string {
    return readAddress(this.values[index]);
  }

  signature(index: number): string {
    return readSignature(this.values[index]);
  }

  addresses(index: number, maximum: number): string[] {
    return this.list(index, maximum).map(readAddress);
  }

  signatures(index: number, maximum: number): string[] {
    return this.list(index, maximum).map(readSignature);
  }

  /** The configuration object; one that was left out has no members. Some calls take a bare encoding instead. */
  options(index: number): RpcOptions {
    const value = this.values[index];
    if (typeof value === 'string') return new RpcOptions({ encoding: value });
    if (value === undefined || value === null) return new RpcOptions({});
    if (!isJsonObject(value))
      throw invalidParameters(`Invalid params: parameter ${index} must be an object.`);
    return new RpcOptions(value);
  }

  value(index: number): unknown {
    return this.values[index];
  }

  private list(index: number, maximum: number): unknown[] {
    const value: unknown = this.values[index];
    if (!Array.isArray(value))
      throw invalidParameters(`Invalid params: parameter ${index} must be an array.`);
    if (value.length > maximum) throw invalidParameters(`Too many inputs provided; max ${maximum}`);
    return value;
  }
}

export class RpcOptions {
  constructor(private readonly members: Record<string, unknown>) {}

  commitment(name = 'commitment'): Commitment {
    const value = this.members[name];
    switch (value) {
      case undefined:
      case null:
        return 'finalized';
      case 'processed':
      case 'confirmed':
      case 'finalized':
        return value;
      default:
        throw invalidParameters('Invalid params: unknown commitment.');
    }
  }

  /** One of `known`, the first of which is the default. */
  encoding<Encoding extends string>(...known: readonly [Encoding, ...Encoding[]]): Encoding {
    const value = this.members['encoding'];
    if (value === undefined || value === null) return known[0];
    const found = known.find((encoding) => encoding === value);
    if (found === undefined) throw invalidParameters('Invalid params: unsupported encoding.');
    return found;
  }

  flag(name: string): boolean {
    const value = this.members[name] ?? false;
    if (typeof value !== 'boolean') throw invalidParameters(`Invalid params: ${name} must be a boolean.`);
    return value;
  }

  integer(name: string): number | undefined {
    const value = this.members[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
      throw invalidParameters(`Invalid params: ${name} must be an unsigned integer.`);
    }
    return value;
  }

  signature(name: string): string | undefined {
    const value = this.members[name];
    return value === undefined || value === null ? undefined : readSignature(value);
  }

  object(name: string): RpcOptions | undefined {
    const value = this.members[name];
    if (value === undefined || value === null) return undefined;
    if (!isJsonObject(value)) throw invalidParameters(`Invalid params: ${name} must be an object.`);
    return new RpcOptions(value);
  }

  addresses(name: string): string[] {
    const value = this.members[name] ?? [];
    if (!Array.isArray(value)) throw invalidParameters(`Invalid params: ${name} must be an array.`);
    return value.map(readAddress);
  }
}

/** Decodes a transaction or message parameter; base58 is Solana's default for transactions. */
export function decodePayload(text: string, encoding: 'base58' | 'base64'): Uint8Array {
  if (encoding === 'base64') {
    const bytes = base64.decode(text);
    if (bytes === undefined) throw invalidParameters('invalid base64 encoding');
    return bytes;
  }
  // The longest transaction, 1232 bytes, is 1683 characters of base58.
  if (text.length > 1683) throw invalidParameters('base58 encoded transaction too large');
  try {
    return anyBase58.decode(text);
  } catch {
    throw invalidParameters('invalid base58 encoding');
  }
}

function readAddress(value: unknown): string {
  if (typeof value === 'string' && base58.decode(value, 32) !== undefined) return value;
  throw invalidParameters('Invalid param: not a base58 32-byte address.');
}

function readSignature(value: unknown): string {
  if (typeof value === 'string' && base58.decode(value, 64) !== undefined) return value;
  throw invalidParameters('Invalid param: not a base58 64-byte signature.');
}
