import {
  AddressLookupTableAccount,
  ComputeBudgetProgram,
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
} from '@solana/web3.js';
import type { Address } from './address.js';

export interface InstructionAccount {
  readonly address: Address;
  readonly isSigner: boolean;
  readonly isWritable: boolean;
}

export interface MessageTerms {
  /** Pays the fee and signs. */
  readonly payer: Address;
  readonly blockhash: string;
  readonly computeUnits: number;
  /** Priority fee per compute unit. */
  readonly microLamportsPerUnit: number;
}

/** A table on the ledger. A message names its accounts by their position, with one byte each. */
export interface LookupTable {
  readonly address: Address;
  /** The addresses in the order of the table on the ledger; at most 256. A table can only grow. */
  readonly addresses: readonly Address[];
}

/** The largest transaction that fits into a packet of the ledger, signatures included. */
export const MAX_TRANSACTION_BYTES = 1_232;
/** Maximum number of compute units that a transaction can request. */
export const MAX_COMPUTE_UNITS = 1_400_000;
const ONE_SIGNATURE = 1 + 64;

/**
 * Compiles a version 0 message with one instruction and its compute budget, and returns the bytes to sign. Returns `undefined`
 * if the transaction with one signature would be too large. The accounts in `lookupTables` are named by position, except for
 * the signer and the programs.
 */
export function compileMessage(
  instruction: {
    readonly programId: Address;
    readonly accounts: readonly InstructionAccount[];
    readonly data: Uint8Array;
  },
  terms: MessageTerms,
  lookupTables: readonly LookupTable[] = [],
): Uint8Array | undefined {
  const message = new TransactionMessage({
    payerKey: new PublicKey(terms.payer),
    recentBlockhash: terms.blockhash,
    instructions: [
      ComputeBudgetProgram.setComputeUnitLimit({ units: terms.computeUnits }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: terms.microLamportsPerUnit }),
      new TransactionInstruction({
        programId: new PublicKey(instruction.programId),
        keys: instruction.accounts.map(({ address, isSigner, isWritable }) => ({
          pubkey: new PublicKey(address),
          isSigner,
          isWritable,
        })),
        data: Buffer.from(instruction.data),
      }),
    ],
  }).compileToV0Message(lookupTables.map(tableAccount));
  try {
    const bytes = message.serialize();
    return ONE_SIGNATURE + bytes.length <= MAX_TRANSACTION_BYTES ? bytes : undefined;
  } catch (thrown) {
    // web3.js writes into a buffer of the largest size, and throws when it overruns it.
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

const NEVER_DEACTIVATED = 2n ** 64n - 1n;

function tableAccount({ address, addresses }: LookupTable): AddressLookupTableAccount {
  const state = {
    deactivationSlot: NEVER_DEACTIVATED,
    lastExtendedSlot: 0,
    lastExtendedSlotStartIndex: 0,
    addresses: addresses.map((one) => new PublicKey(one)),
  };
  return new AddressLookupTableAccount({ key: new PublicKey(address), state });
}

/** The program-derived address of the seeds, each at most 32 bytes. */
export function deriveAddress(programId: Address, seeds: readonly Uint8Array[]): Address {
  const [found] = PublicKey.findProgramAddressSync(
    seeds.map((seed) => Buffer.from(seed)),
    new PublicKey(programId),
  );
  return found.toBase58() as Address;
}
