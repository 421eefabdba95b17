import { base58 } from '../../../src/platform/kernel/encoding/bytes.js';
import { address, signature, type Address, type Signature } from '../../../src/platform/ledger/index.js';

/** Answers of a node, in the form of Solana's RPC. */

export function anAddress(seed: number): Address {
  return address(base58.encode(new Uint8Array(32).fill(seed)));
}

export function aSignature(seed: number): Signature {
  return signature(base58.encode(Uint8Array.from({ length: 64 }, (_, index) => (seed * 31 + index) & 0xff)));
}

export function historyRow(seed: number, slot: number, changes: object = {}) {
  return {
    signature: aSignature(seed),
    slot,
    err: null,
    memo: null,
    blockTime: 1_700_000_000 + slot,
    confirmationStatus: 'finalized',
    ...changes,
  };
}

const noMeta = {
  err: null,
  fee: 5000,
  innerInstructions: [] as unknown,
  preBalances: [10_000, 1],
  postBalances: [5_000, 1],
  logMessages: [],
  loadedAddresses: { writable: [] as string[], readonly: [] as string[] } as unknown,
};

/** A transaction of two accounts (fee payer 1, program 2) and one instruction with data 01 02 03. */
export function transactionAnswer(
  name: Signature,
  {
    meta = {},
    message = {},
    ...changes
  }: { meta?: object; message?: object; [member: string]: unknown } = {},
) {
  return {
    slot: 9,
    blockTime: 1_700_000_009,
    version: 0,
    meta: { ...noMeta, ...meta },
    transaction: {
      signatures: [name],
      message: {
        header: { numRequiredSignatures: 1, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 1 },
        accountKeys: [anAddress(1), anAddress(2)],
        recentBlockhash: anAddress(3),
        instructions: [{ programIdIndex: 1, accounts: [0], data: 'Ldp', stackHeight: 1 }],
        ...message,
      },
    },
    ...changes,
  };
}
