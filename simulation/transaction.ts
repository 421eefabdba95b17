import { VersionedTransaction } from '@solana/web3.js';
import { base58, base64 } from '#lucarne/platform/kernel/encoding/bytes.js';
import type { SeededRandom } from './random.ts';

/** What the model of the ledger reads from a transaction. */
export interface LedgerTransaction {
  readonly signature: string;
  readonly blockhash: string;
  readonly payer: string;
  /** Every account, in the order of the message. */
  readonly keys: readonly string[];
  readonly instructions: readonly {
    readonly programIdIndex: number;
    readonly accounts: readonly number[];
    readonly data: string;
  }[];
  /** The accounts that the pool's program creates: one for each nullifier, and one for each commitment. */
  readonly nullifiers: readonly string[];
  readonly outputs: readonly string[];
  /** Whether another party made it. */
  readonly isForeign: boolean;
}

/** Root, public amount and the hash of external data precede the nullifiers and commitments. */
const LEADING_SIGNALS = 3;
const PREFIX_AND_PROOF_BYTES = 1 + 256;
const WORD_BYTES = 32;

/**
 * Reads a transaction of the relayer. Its last instruction is the pool's. The pool's circuits have as many outputs as inputs.
 */
export function readTransaction(encoded: string): LedgerTransaction {
  const { signatures, message } = VersionedTransaction.deserialize(base64.decode(encoded)!);
  const keys = message.staticAccountKeys.map((key) => key.toBase58());
  const relay = message.compiledInstructions.at(-1)!;
  const signals = (relay.data.length - PREFIX_AND_PROOF_BYTES) / WORD_BYTES;
  const inputs = (signals - LEADING_SIGNALS) / 2;
  const accounts = relay.accountKeyIndexes.map((index) => keys[index]!);
  return {
    signature: base58.encode(signatures[0]!),
    blockhash: message.recentBlockhash,
    payer: keys[0]!,
    keys,
    instructions: message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
      ...{ programIdIndex, accounts: accountKeyIndexes, data: base58.encode(data) },
    })),
    nullifiers: accounts.slice(1, 1 + inputs),
    outputs: accounts.slice(1 + inputs, 1 + 2 * inputs),
    isForeign: false,
  };
}

/** A transaction of another party that spends a nullifier. */
export function foreignTransaction(
  random: SeededRandom,
  programId: string,
  blockhash: string,
  nullifier: string,
): LedgerTransaction {
  const payer = base58.encode(random.bytes(32));
  const output = base58.encode(random.bytes(32));
  return {
    signature: base58.encode(random.bytes(64)),
    ...{ blockhash, payer, keys: [payer, nullifier, output, programId] },
    instructions: [{ programIdIndex: 3, accounts: [0, 1, 2], data: '' }],
    ...{ nullifiers: [nullifier], outputs: [output], isForeign: true },
  };
}
