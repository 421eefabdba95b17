import { expect } from '@jest/globals';
import * as kit from '@solana/kit';
import * as token from '@solana-program/token-2022';
import {
  addressFromBytes,
  decodeConfidentialEvents,
  signature,
  type Address,
  type ConfidentialEvent,
  type LedgerInstruction,
  type LedgerTransaction,
} from '../../../../src/platform/ledger/index.js';
import { base58 } from '../../../../src/platform/kernel/encoding/bytes.js';

/** An address of 32 equal bytes: easy to read in a failing test, and never the system program. */
export function account(byte: number): Address & kit.Address {
  return addressFromBytes(new Uint8Array(32).fill(byte)) as Address & kit.Address;
}

/** Bytes that differ at each position, so that a wrong offset cannot give the right value. */
export function pattern(length: number, seed: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (seed + index * 7) & 0xff);
}

/** An instruction built by `@solana-program/token-2022`, in the form in which the ledger code reads it. */
export function asRead(built: kit.Instruction): LedgerInstruction {
  return {
    programId: addressFromBytes(new Uint8Array(kit.getAddressEncoder().encode(built.programAddress))),
    accounts: (built.accounts ?? []).map((meta) =>
      addressFromBytes(new Uint8Array(kit.getAddressEncoder().encode(meta.address))),
    ),
    data: new Uint8Array(built.data ?? []),
  };
}

export interface Written extends LedgerInstruction {
  readonly inner?: readonly LedgerInstruction[];
}

export function transactionOf(
  instructions: readonly Written[],
  changes: Partial<LedgerTransaction> = {},
): LedgerTransaction {
  return {
    signature: signature(base58.encode(pattern(64, 3))),
    slot: 7,
    blockTime: 1_700_000_000,
    version: 0,
    failed: false,
    signer: account(1),
    accountKeys: [account(1)],
    instructions: instructions.map((instruction) => ({ ...instruction, inner: instruction.inner ?? [] })),
    ...changes,
  };
}

export const mint = account(2);
export const source = account(3);
export const destination = account(4);
export const owner = account(5);
export const ownerSigner = kit.createNoopSigner(owner);
export const records = [account(11), account(12), account(13), account(14), account(15)] as const;

export const ae = pattern(36, 1);
export const lo = pattern(64, 40);
export const hi = pattern(64, 90);

export const inContexts = {
  equalityProofInstructionOffset: 0,
  ciphertextValidityProofInstructionOffset: 0,
  rangeProofInstructionOffset: 0,
};

export const transfer = (changes: Partial<token.ConfidentialTransferInput> = {}) =>
  token.getConfidentialTransferInstruction({
    sourceToken: source,
    mint,
    destinationToken: destination,
    equalityRecord: records[0],
    ciphertextValidityRecord: records[1],
    rangeRecord: records[2],
    authority: owner,
    newSourceDecryptableAvailableBalance: ae,
    transferAmountAuditorCiphertextLo: lo,
    transferAmountAuditorCiphertextHi: hi,
    ...inContexts,
    ...changes,
  });

export const deposit = (amount = 1_000_000n) =>
  token.getConfidentialDepositInstruction({ token: source, mint, authority: owner, amount, decimals: 6 });

export function decodeOne(built: Parameters<typeof asRead>[0]): ConfidentialEvent {
  const { events, malformed } = decodeConfidentialEvents(transactionOf([asRead(built)]));
  expect(malformed).toEqual([]);
  expect(events).toHaveLength(1);
  return events[0]!;
}
