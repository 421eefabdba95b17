import type { Address } from '../address.js';
import type { LedgerInstruction, LedgerTransaction } from '../ledger-reader.js';
import { isBatch, unwrapBatch } from './batch.js';
import { TOKEN_2022_PROGRAM } from './layouts.js';

/** A Token-2022 account that a transaction created. */
export type Initialization =
  | { readonly kind: 'token_account'; readonly address: Address }
  | {
      /** The mint's confidential-transfer extension. It can be added only by the first instructions of the mint. */
      readonly kind: 'confidential_mint';
      readonly address: Address;
      /** 32 bytes; undefined if the mint was created without an auditor. */
      readonly auditorPublicKey: Uint8Array | undefined;
    };

/** InitializeAccount, InitializeAccount2 and InitializeAccount3. The account comes first. */
const INITIALIZE_ACCOUNT: readonly number[] = [1, 16, 18];
/** ConfidentialTransferExtension, InitializeMint: authority 32, auto-approve u8, auditor key 32. All zero means none. */
const CONFIDENTIAL_TRANSFER_EXTENSION = 27;
const INITIALIZE_MINT = 0;
const INITIALIZE_MINT_BYTES = 67;
const AUDITOR_KEY = 35;

/**
 * The token accounts and confidential mints that a transaction initialized, at top level, by cross-program calls or in a
 * `Batch`. A failed transaction initialized none. Never throws.
 */
export function decodeInitializations(transaction: LedgerTransaction): readonly Initialization[] {
  if (transaction.failed) return [];
  return transaction.instructions
    .flatMap((instruction) => [instruction, ...instruction.inner])
    .filter(({ programId }) => programId === TOKEN_2022_PROGRAM)
    .flatMap((instruction) =>
      isBatch(instruction.data) ? unwrapBatch(instruction).instructions : [instruction],
    )
    .flatMap((instruction) => initializationOf(instruction) ?? []);
}

function initializationOf({ data, accounts }: LedgerInstruction): Initialization | undefined {
  const [address] = accounts;
  const [instruction, extensionInstruction] = data;
  if (address === undefined || instruction === undefined) return undefined;
  if (INITIALIZE_ACCOUNT.includes(instruction)) return { kind: 'token_account', address };
  if (
    instruction !== CONFIDENTIAL_TRANSFER_EXTENSION ||
    extensionInstruction !== INITIALIZE_MINT ||
    data.length !== INITIALIZE_MINT_BYTES
  ) {
    return undefined;
  }
  const key = data.slice(AUDITOR_KEY);
  return {
    kind: 'confidential_mint',
    address,
    auditorPublicKey: key.every((byte) => byte === 0) ? undefined : key,
  };
}
