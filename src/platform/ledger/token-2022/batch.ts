import type { LedgerInstruction } from '../ledger-reader.js';
import { BATCH } from './layouts.js';

/** The readable instructions of a `Batch`. `complete` is false if the batch is malformed. */
export interface UnwrappedBatch {
  readonly instructions: readonly LedgerInstruction[];
  readonly complete: boolean;
}

export function isBatch(data: Uint8Array): boolean {
  return data[0] === BATCH;
}

/** Splits a `Batch` into its instructions: account count u8, data length u8, data. Accounts follow one another. */
export function unwrapBatch(batch: LedgerInstruction): UnwrappedBatch {
  const { data, accounts, programId } = batch;
  const instructions: LedgerInstruction[] = [];
  let position = 1;
  let account = 0;
  while (position < data.length) {
    const accountCount = data[position];
    const dataLength = data[position + 1];
    if (accountCount === undefined || dataLength === undefined) return { instructions, complete: false };
    const start = position + 2;
    if (start + dataLength > data.length || account + accountCount > accounts.length) {
      return { instructions, complete: false };
    }
    instructions.push({
      programId,
      accounts: accounts.slice(account, account + accountCount),
      data: data.subarray(start, start + dataLength),
    });
    position = start + dataLength;
    account += accountCount;
  }
  return { instructions, complete: true };
}
