import { addressFromBytes, signature, type Address } from '../../../src/ledger/index.js';
import type { LedgerInstruction, LedgerTransaction } from '../../../src/ledger/index.js';
import { base58 } from '../../../src/kernel/bytes.js';
import * as kit from '@solana/kit';

/** An address whose 32 bytes are all `byte`: readable in a failing test, and never the system program. */
export function account(byte: number): Address & kit.Address {
  return addressFromBytes(new Uint8Array(32).fill(byte)) as Address & kit.Address;
}

/** Bytes that differ from place to place, so that a wrong offset cannot give the right value. */
export function pattern(length: number, seed: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (seed + index * 7) & 0xff);
}

/** An instruction as `@solana-program/token-2022` builds it, as the ledger room reads it. */
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
