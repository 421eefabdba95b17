import { base58 } from '../../src/platform/kernel/encoding/bytes.js';

export type TransactionVersion = 'legacy' | 0 | 1;

export interface WireInstruction {
  readonly programIdIndex: number;
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
}

export interface AddressTableLookup {
  readonly accountKey: string;
  readonly writableIndexes: readonly number[];
  readonly readonlyIndexes: readonly number[];
}

/** The limits a version 1 message carries in its header instead of in compute-budget instructions. */
export interface TransactionConfig {
  /** Lamports. */
  readonly priorityFee: number | null;
  readonly computeUnitLimit: number | null;
  readonly loadedAccountsDataSizeLimit: number | null;
  readonly heapSize: number | null;
}

export interface MessageHeader {
  readonly numRequiredSignatures: number;
  readonly numReadonlySignedAccounts: number;
  readonly numReadonlyUnsignedAccounts: number;
}

export interface WireMessage {
  readonly version: TransactionVersion;
  readonly header: MessageHeader;
  /** Base58, in the order of the message; the fee payer first. */
  readonly accountKeys: readonly string[];
  readonly recentBlockhash: string;
  readonly instructions: readonly WireInstruction[];
  readonly lookups: readonly AddressTableLookup[];
  readonly config: TransactionConfig | undefined;
}

export interface WireTransaction extends WireMessage {
  readonly bytes: Uint8Array;
  /** Base58; the first is the transaction's id. */
  readonly signatures: readonly string[];
  readonly signature: string;
}

/** The bytes are not a transaction that a validator would deserialize and sanitize. */
export class MalformedTransaction extends Error {
  override readonly name = 'MalformedTransaction';
}

/** `PACKET_DATA_SIZE` of Solana; version 1 transactions have their own limit (SIMD-0296, SIMD-0385). */
const MAX_TRANSACTION_BYTES = 1232;
const MAX_V1_TRANSACTION_BYTES = 4096;

const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;
const V1_PREFIX = 0x81;
const VERSION_BIT = 0x80;

/**
 * Parses a signed transaction, strictly: LiteSVM aborts the process on bytes it cannot deserialize, so nothing
 * reaches it that was not read here to the last byte.
 */
export function parseWireTransaction(bytes: Uint8Array): WireTransaction {
  const isV1 = bytes[0] === V1_PREFIX;
  const maximum = isV1 ? MAX_V1_TRANSACTION_BYTES : MAX_TRANSACTION_BYTES;
  if (bytes.length > maximum) {
    throw new MalformedTransaction(`transaction too large: ${bytes.length} bytes (max: ${maximum} bytes)`);
  }
  const reader = new Reader(bytes);
  const leading = isV1 ? [] : readMany(reader.length16(), () => reader.take(SIGNATURE_BYTES));
  const message = readMessage(reader);
  // A version 1 transaction has its signatures after the message (SIMD-0385).
  const raw = isV1
    ? readMany(message.header.numRequiredSignatures, () => reader.take(SIGNATURE_BYTES))
    : leading;
  reader.end();
  if (raw.length !== message.header.numRequiredSignatures) {
    throw new MalformedTransaction('the number of signatures differs from what the message requires');
  }
  const signatures = raw.map((signature) => base58.encode(signature));
  return { ...message, bytes, signatures, signature: signatures[0]! };
}

/** Parses an unsigned message, as `getFeeForMessage` receives it. */
export function parseWireMessage(bytes: Uint8Array): WireMessage {
  if (bytes.length > MAX_V1_TRANSACTION_BYTES) throw new MalformedTransaction('message too large');
  const reader = new Reader(bytes);
  const message = readMessage(reader);
  reader.end();
  return message;
}

/** Whether the account at `index` of static keys, then loaded writable, then loaded readonly, is locked for writing. */
export function isWritable(message: WireMessage, index: number): boolean {
  const { numRequiredSignatures, numReadonlySignedAccounts, numReadonlyUnsignedAccounts } = message.header;
  const statics = message.accountKeys.length;
  if (index < numRequiredSignatures) return index < numRequiredSignatures - numReadonlySignedAccounts;
  if (index < statics) return index < statics - numReadonlyUnsignedAccounts;
  const loadedWritable = message.lookups.reduce((sum, lookup) => sum + lookup.writableIndexes.length, 0);
  return index < statics + loadedWritable;
}

function readMessage(reader: Reader): WireMessage {
  const first = reader.peek();
  const message =
    (first & VERSION_BIT) === 0
      ? readLegacyOrV0(reader, 'legacy')
      : first === VERSION_BIT
        ? readLegacyOrV0(reader, 0)
        : readV1(reader);
  sanitize(message);
  return message;
}

function readLegacyOrV0(reader: Reader, version: 'legacy' | 0): WireMessage {
  if (version === 0) reader.byte();
  const header = readHeader(reader);
  const accountKeys = readMany(reader.length16(), () => reader.key());
  const recentBlockhash = reader.key();
  const instructions = readMany(reader.length16(), () => ({
    programIdIndex: reader.byte(),
    accounts: [...reader.take(reader.length16())],
    data: reader.take(reader.length16()),
  }));
  const lookups =
    version === 'legacy'
      ? []
      : readMany(reader.length16(), () => ({
          accountKey: reader.key(),
          writableIndexes: [...reader.take(reader.length16())],
          readonlyIndexes: [...reader.take(reader.length16())],
        }));
  return { version, header, accountKeys, recentBlockhash, instructions, lookups, config: undefined };
}

// SIMD-0385: prefix, header, configuration mask, lifetime, counts, keys, configuration values, headers, payloads.
function readV1(reader: Reader): WireMessage {
  if (reader.byte() !== V1_PREFIX) throw new MalformedTransaction('unknown message version');
  const header = readHeader(reader);
  const mask = reader.u32();
  const priorityFeeBits = mask & 0b11;
  if (mask >>> 5 !== 0 || priorityFeeBits === 1 || priorityFeeBits === 2) {
    throw new MalformedTransaction('unknown bits in the configuration mask');
  }
  const recentBlockhash = reader.key();
  const instructionCount = reader.byte();
  const keyCount = reader.byte();
  if (instructionCount > 64 || keyCount > 64 || header.numRequiredSignatures > 12) {
    throw new MalformedTransaction('too many instructions, accounts or signatures');
  }
  const accountKeys = readMany(keyCount, () => reader.key());
  const config = {
    priorityFee: priorityFeeBits === 0 ? null : reader.u64(),
    computeUnitLimit: (mask & 0b100) === 0 ? null : reader.u32(),
    loadedAccountsDataSizeLimit: (mask & 0b1000) === 0 ? null : reader.u32(),
    heapSize: (mask & 0b10000) === 0 ? null : reader.u32(),
  };
  const headers = readMany(instructionCount, () => ({
    programIdIndex: reader.byte(),
    accountCount: reader.byte(),
    dataLength: reader.u16(),
  }));
  const instructions = headers.map(({ programIdIndex, accountCount, dataLength }) => ({
    programIdIndex,
    accounts: [...reader.take(accountCount)],
    data: reader.take(dataLength),
  }));
  return { version: 1, header, accountKeys, recentBlockhash, instructions, lookups: [], config };
}

function readHeader(reader: Reader): MessageHeader {
  return {
    numRequiredSignatures: reader.byte(),
    numReadonlySignedAccounts: reader.byte(),
    numReadonlyUnsignedAccounts: reader.byte(),
  };
}

// The rules of `Message::sanitize` in the Solana SDK.
function sanitize(message: WireMessage): void {
  const { numRequiredSignatures, numReadonlySignedAccounts, numReadonlyUnsignedAccounts } = message.header;
  const statics = message.accountKeys.length;
  if (
    numReadonlySignedAccounts >= numRequiredSignatures ||
    numRequiredSignatures + numReadonlyUnsignedAccounts > statics
  ) {
    throw new MalformedTransaction('the header does not fit the account keys');
  }
  let total = statics;
  for (const lookup of message.lookups) {
    const loaded = lookup.writableIndexes.length + lookup.readonlyIndexes.length;
    if (loaded === 0) throw new MalformedTransaction('an address table lookup loads nothing');
    total += loaded;
  }
  if (total > 256) throw new MalformedTransaction('too many account keys');
  for (const { programIdIndex, accounts } of message.instructions) {
    if (programIdIndex === 0 || programIdIndex >= statics || accounts.some((index) => index >= total)) {
      throw new MalformedTransaction('an instruction names an account that is not there');
    }
  }
}

function readMany<T>(count: number, read: () => T): T[] {
  return Array.from({ length: count }, read);
}

class Reader {
  private offset = 0;

  constructor(private readonly bytes: Uint8Array) {}

  peek(): number {
    const byte = this.bytes[this.offset];
    if (byte === undefined) throw new MalformedTransaction('the transaction ends too early');
    return byte;
  }

  byte(): number {
    const byte = this.peek();
    this.offset += 1;
    return byte;
  }

  take(length: number): Uint8Array {
    if (this.offset + length > this.bytes.length) {
      throw new MalformedTransaction('the transaction ends too early');
    }
    const taken = this.bytes.slice(this.offset, this.offset + length);
    this.offset += length;
    return taken;
  }

  key(): string {
    return base58.encode(this.take(KEY_BYTES));
  }

  u16(): number {
    return this.byte() + this.byte() * 0x100;
  }

  u32(): number {
    return this.u16() + this.u16() * 0x10000;
  }

  /** Exact below 2^53; a larger fee than all lamports of the ledger is refused by the runtime anyway. */
  u64(): number {
    return this.u32() + this.u32() * 0x100000000;
  }

  /** compact-u16, of which only the shortest form is valid. */
  length16(): number {
    let value = 0;
    for (let position = 0; position < 3; position += 1) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** (7 * position);
      if ((byte & 0x80) === 0) {
        if ((byte === 0 && position > 0) || value > 0xffff) break;
        return value;
      }
    }
    throw new MalformedTransaction('a length is not a compact-u16');
  }

  end(): void {
    if (this.offset !== this.bytes.length) throw new MalformedTransaction('bytes follow the transaction');
  }
}
