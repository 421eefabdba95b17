import { base58 } from '@scure/base';
import { BoundedMap } from '../kernel/bounds/bounded-map.js';
import { isJsonObject } from '../kernel/encoding/json.js';
import { isAddress, type Address, type Signature } from './address.js';
import { list, object, optionalWholeNumber, transactionFailure, wholeNumber } from './answer-shape.js';
import { nonsense } from './ledger-error.js';
import type { LedgerInstruction, LedgerTopLevelInstruction, LedgerTransaction } from './ledger-reader.js';

/** A cross-program call has at most 10,240 bytes, which are 14,000 characters of base58. */
const MAX_DATA_CHARACTERS = 14_100;
/** Account indexes are bytes. */
const MAX_ACCOUNTS = 256;

/** The parameters of `getTransaction`. The answer has the same form for every version, and never changes. */
export function transactionQuestion(signature: Signature): readonly unknown[] {
  return [signature, { commitment: 'finalized', encoding: 'json', maxSupportedTransactionVersion: 1 }];
}

/**
 * Parses the result of `getTransaction` with `encoding: "json"`. Its form is the same for legacy, v0 and v1, so that nothing
 * depends on the wire format of a version. Source: Solana RPC, `getTransaction`.
 *
 * @throws {LedgerError} `nonsense` if it is not a transaction, is another transaction, or lacks its inner instructions.
 */
export function parseTransaction(signature: Signature, answer: unknown): LedgerTransaction | null {
  if (answer === null) return null;
  const result = object(answer, 'result');
  const transaction = object(result['transaction'], 'transaction');
  const message = object(transaction['message'], 'message');
  const meta = object(result['meta'], 'meta');

  if (list(transaction['signatures'], 'signatures')[0] !== signature) {
    throw nonsense('The transaction is not the one asked for.');
  }
  const accountKeys = readAccountKeys(message, meta);
  const [signer] = accountKeys;
  if (signer === undefined) throw nonsense('The transaction has no account.');
  return {
    signature,
    slot: wholeNumber(result['slot'], 'slot'),
    blockTime: optionalWholeNumber(result['blockTime'], 'blockTime'),
    version: readVersion(result['version']),
    failed: transactionFailure(meta['err']) !== null,
    signer,
    accountKeys,
    instructions: readInstructions(message, meta, accountKeys),
  };
}

function readVersion(version: unknown): LedgerTransaction['version'] {
  if (version === undefined || version === 'legacy') return 'legacy';
  if (version === 0 || version === 1) return version;
  throw nonsense('The transaction has an unknown version.');
}

function readAccountKeys(
  message: Record<string, unknown>,
  meta: Record<string, unknown>,
): readonly Address[] {
  const loaded = meta['loadedAddresses'];
  const { writable, readonly } = isJsonObject(loaded) ? loaded : { writable: [], readonly: [] };
  const keys = [
    ...list(message['accountKeys'], 'accountKeys'),
    ...list(writable, 'loadedAddresses.writable'),
    ...list(readonly, 'loadedAddresses.readonly'),
  ];
  if (keys.length > MAX_ACCOUNTS) throw nonsense('The transaction has too many accounts.');
  return keys.map(knownAddress);
}

function readInstructions(
  message: Record<string, unknown>,
  meta: Record<string, unknown>,
  accountKeys: readonly Address[],
): readonly LedgerTopLevelInstruction[] {
  const topLevel = list(message['instructions'], 'instructions');
  const inner = new Map<number, readonly LedgerInstruction[]>();
  // A node that did not record inner instructions returns null. Without them, transfers by other programs would be missed.
  for (const group of list(meta['innerInstructions'], 'innerInstructions')) {
    const { index, instructions } = object(group, 'innerInstructions');
    const caller = wholeNumber(index, 'innerInstructions.index');
    if (caller >= topLevel.length || inner.has(caller)) throw nonsense('An inner instruction has no caller.');
    const called = list(instructions, 'innerInstructions.instructions');
    inner.set(
      caller,
      called.map((instruction) => readInstruction(instruction, accountKeys)),
    );
  }
  return topLevel.map((instruction, index) => ({
    ...readInstruction(instruction, accountKeys),
    inner: inner.get(index) ?? [],
  }));
}

function readInstruction(value: unknown, accountKeys: readonly Address[]): LedgerInstruction {
  const { programIdIndex, accounts, data } = object(value, 'instruction');
  const at = (index: unknown): Address => {
    const key = accountKeys[wholeNumber(index, 'account index')];
    if (key === undefined)
      throw nonsense('An instruction names an account that the transaction does not have.');
    return key;
  };
  return {
    programId: at(programIdIndex),
    accounts: list(accounts, 'accounts').map(at),
    data: readData(data),
  };
}

function readData(data: unknown): Uint8Array {
  if (typeof data !== 'string' || data.length > MAX_DATA_CHARACTERS) {
    throw nonsense('The data of an instruction is not base58.');
  }
  try {
    return base58.decode(data);
  } catch (thrown) {
    throw nonsense('The data of an instruction is not base58.', thrown);
  }
}

// The same programs, mints and accounts occur repeatedly, and checking an address costs 7 µs.
const MAX_KNOWN_ADDRESSES = 20_000;
const known = new BoundedMap<string, true>(MAX_KNOWN_ADDRESSES);

function knownAddress(value: unknown): Address {
  if (typeof value === 'string' && known.has(value)) return value as Address;
  if (!isAddress(value)) throw nonsense('An account key is not an address.');
  known.set(value, true);
  return value;
}
