import { isJsonObject } from '../kernel/encoding/json.js';
import { nonsense } from './ledger-error.js';
import type { TransactionFailure } from './providers/ledger-node.js';

/** Far longer than any valid list that these functions read; `instructionOrder` has room for 4095 instructions. */
const MAX_ITEMS = 1024;

/** These functions check the parts of an answer. A wrong part is a `LedgerError` of kind `nonsense` that names the part. */
export function object(value: unknown, what: string): Record<string, unknown> {
  if (!isJsonObject(value)) throw nonsense(`${what} is not an object.`);
  return value;
}

export function list(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw nonsense(`${what} is not a list.`);
  if (value.length > MAX_ITEMS) throw nonsense(`${what} is too long.`);
  return value as readonly unknown[];
}

export function wholeNumber(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw nonsense(`${what} is not a whole number.`);
  }
  return value;
}

export function optionalWholeNumber(value: unknown, what: string): number | null {
  return value === null || value === undefined ? null : wholeNumber(value, what);
}

/** The member `err`. It is null if the transaction succeeded, and is never omitted. */
export function transactionFailure(value: unknown): TransactionFailure | null {
  if (value === null) return null;
  if (isTransactionFailure(value)) return sameInEveryVersion(value);
  throw nonsense('The transaction does not say whether it failed.');
}

/**
 * For a failed instruction, Agave 2 returns `{"BorshIoError":"Unknown"}`, and Agave 3 returns `"BorshIoError"`. Providers that
 * run different versions must not contradict each other. Source: `solana-instruction-error`, `InstructionError`.
 */
function sameInEveryVersion(failure: TransactionFailure): TransactionFailure {
  const instruction = typeof failure === 'string' ? undefined : failure['InstructionError'];
  if (!Array.isArray(instruction) || !isJsonObject(instruction[1]) || !('BorshIoError' in instruction[1]))
    return failure;
  return { InstructionError: [instruction[0], 'BorshIoError'] };
}

/**
 * Maximum length as JSON. Failures of the ledger itself are below 200 characters. A provider must not decide how much the
 * history stores.
 */
const MAX_FAILURE_LENGTH = 1_000;

export function isTransactionFailure(value: unknown): value is TransactionFailure {
  const isNamed =
    (typeof value === 'string' && value !== '') || (isJsonObject(value) && Object.keys(value).length > 0);
  if (!isNamed) return false;
  const text = JSON.stringify(value);
  // Rejects JSON escapes of characters that the database cannot store: NUL and lone surrogates.
  return text.length <= MAX_FAILURE_LENGTH && !text.includes('\\u');
}
