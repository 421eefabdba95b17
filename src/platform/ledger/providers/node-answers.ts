import { isAddress, isSignature, type Address, type Signature } from '../address.js';
import { list, object, optionalWholeNumber, transactionFailure, wholeNumber } from '../answer-shape.js';
import { nonsense } from '../ledger-error.js';
import type {
  AsOf,
  Commitment,
  FinalizedOutcome,
  LatestBlockhash,
  LedgerHeight,
  SignatureStatus,
  Simulation,
} from './ledger-node.js';
import type { HistoryPage, LedgerSignature } from '../ledger-reader.js';

// Parsers for the results of a node's methods. Each throws `nonsense` if the result has the wrong shape or contradicts the
// question. Source: Solana RPC, and Agave `rpc-client-types/response.rs`.

/** Agave's `MAX_PROCESSING_AGE`: a transaction may land at most this many blocks after its blockhash. */
export const BLOCKHASH_LIFETIME_BLOCKS = 150;

/** Parses `getEpochInfo`. */
export function readLedgerHeight(result: unknown): LedgerHeight {
  const { absoluteSlot, blockHeight } = object(result, 'result');
  const height = {
    slot: wholeNumber(absoluteSlot, 'absoluteSlot'),
    blockHeight: wholeNumber(blockHeight, 'blockHeight'),
  };
  if (height.blockHeight > height.slot) throw nonsense('There are more blocks than slots.');
  return height;
}

/** Parses `getLatestBlockhash`. */
export function readLatestBlockhash(result: unknown, asOf: AsOf = {}): LatestBlockhash {
  const { slot, value } = inContext(result, asOf);
  const { blockhash, lastValidBlockHeight } = object(value, 'value');
  // A blockhash has the form of an address: 32 bytes in base58.
  if (!isAddress(blockhash)) throw nonsense('The blockhash is not 32 bytes in base58.');
  const last = wholeNumber(lastValidBlockHeight, 'lastValidBlockHeight');
  if (last > slot + BLOCKHASH_LIFETIME_BLOCKS)
    throw nonsense('The blockhash stays valid longer than a blockhash can.');
  return { slot, blockhash, lastValidBlockHeight: last };
}

/** Parses `getMultipleAccounts`. */
export function readAccountOwners(
  result: unknown,
  count: number,
  asOf: AsOf,
): { readonly slot: number; readonly owners: readonly (Address | null)[] } {
  const { slot, value } = inContext(result, asOf);
  return { slot, owners: listOf(value, count, 'accounts').map(readOwner) };
}

function readOwner(account: unknown): Address | null {
  if (account === null) return null;
  const { owner } = object(account, 'account');
  if (!isAddress(owner)) throw nonsense('An owner is not an address.');
  return owner;
}

/** Parses `simulateTransaction`. */
export function readSimulation(result: unknown, asOf: AsOf = {}): Simulation {
  const { slot, value } = inContext(result, asOf);
  const { err, unitsConsumed, accounts } = object(value, 'value');
  const [account] = accounts === undefined || accounts === null ? [] : list(accounts, 'accounts');
  const failure = transactionFailure(err);
  // A transaction that fails before it runs consumes nothing, and a node may omit the number.
  const unsaid = failure !== null && (unitsConsumed === undefined || unitsConsumed === null);
  return {
    ...{ slot, failure, unitsConsumed: unsaid ? 0 : wholeNumber(unitsConsumed, 'unitsConsumed') },
    lamportsAfter: account == null ? null : wholeNumber(object(account, 'account')['lamports'], 'lamports'),
  };
}

/** Parses `getSignatureStatuses`. */
export function readSignatureStatuses(
  result: unknown,
  count: number,
): { readonly slot: number; readonly statuses: readonly (SignatureStatus | null)[] } {
  const { slot, value } = inContext(result);
  return { slot, statuses: listOf(value, count, 'statuses').map((status) => readStatus(status, slot)) };
}

function readStatus(value: unknown, contextSlot: number): SignatureStatus | null {
  if (value === null) return null;
  const { slot, err, confirmationStatus } = object(value, 'status');
  const landed = wholeNumber(slot, 'status.slot');
  if (landed > contextSlot) throw nonsense('A transaction landed in a slot that the node has not reached.');
  if (!isCommitment(confirmationStatus)) throw nonsense('A status has an unknown commitment.');
  return { slot: landed, commitment: confirmationStatus, failure: transactionFailure(err) };
}

/** Parses the result of `getTransaction` with the parameters of `transactionQuestion`. */
export function readFinalizedOutcome(result: unknown, signature: Signature): FinalizedOutcome | null {
  if (result === null) return null;
  const { slot, transaction, meta } = object(result, 'result');
  const { signatures } = object(transaction, 'transaction');
  const { err, fee, preBalances, postBalances } = object(meta, 'meta');
  if (list(signatures, 'signatures')[0] !== signature) {
    throw nonsense('The transaction is not the one asked for.');
  }
  const paid = balanceOfPayer(preBalances, 'preBalances') - balanceOfPayer(postBalances, 'postBalances');
  return {
    slot: wholeNumber(slot, 'slot'),
    failure: transactionFailure(err),
    fee: wholeNumber(fee, 'fee'),
    isFeePaid: paid >= wholeNumber(fee, 'fee') && paid > 0,
    paidLamports: Math.max(0, paid),
  };
}

/** The fee payer is the first account. */
const balanceOfPayer = (balances: unknown, what: string) => wholeNumber(list(balances, what)[0], what);

/** Parses `isBlockhashValid`. */
export function readBlockhashValidity(
  result: unknown,
  asOf: AsOf,
): { readonly slot: number; readonly valid: boolean } {
  const { slot, value } = inContext(result, asOf);
  if (typeof value !== 'boolean') throw nonsense('The validity is not a boolean.');
  return { slot, valid: value };
}

/** Parses `getSignaturesForAddress`, at `finalized`. */
export function readSignatures(
  result: unknown,
  { before, limit }: HistoryPage & { readonly limit: number },
): readonly LedgerSignature[] {
  const rows = list(result, 'result');
  if (rows.length > limit) throw nonsense('The page is longer than was asked for.');
  const seen = new Set<string | undefined>([before]);
  let newest = Infinity;
  return rows.map((row) => {
    const { signature, slot, err, blockTime, confirmationStatus } = object(row, 'row');
    if (!isSignature(signature)) throw nonsense('A signature is not 64 bytes in base58.');
    if (seen.has(signature)) throw nonsense('The page repeats a signature.');
    const landed = wholeNumber(slot, 'row.slot');
    if (landed > newest) throw nonsense('The page is not newest first.');
    // Some nodes omit it.
    if ((confirmationStatus ?? 'finalized') !== 'finalized') {
      throw nonsense('The page holds a transaction that is not finalized.');
    }
    seen.add(signature);
    newest = landed;
    return {
      signature,
      slot: landed,
      failed: transactionFailure(err) !== null,
      blockTime: optionalWholeNumber(blockTime, 'row.blockTime'),
    };
  });
}

/** Parses `getBalance`. */
export function readBalance(result: unknown): { readonly slot: number; readonly lamports: number } {
  const { slot, value } = inContext(result);
  return { slot, lamports: wholeNumber(value, 'value') };
}

/** Parses `getRecentPrioritizationFees`. */
export function readPrioritizationFees(result: unknown): readonly number[] {
  return list(result, 'result').map((entry) => {
    const { slot, prioritizationFee } = object(entry, 'entry');
    wholeNumber(slot, 'entry.slot');
    return wholeNumber(prioritizationFee, 'prioritizationFee');
  });
}

function inContext(
  result: unknown,
  { minContextSlot = 0 }: AsOf = {},
): { readonly slot: number; readonly value: unknown } {
  const { context, value } = object(result, 'result');
  const slot = wholeNumber(object(context, 'context')['slot'], 'context.slot');
  if (slot < minContextSlot) throw nonsense('The answer is from an older slot than was asked for.');
  return { slot, value };
}

function listOf(value: unknown, count: number, what: string): readonly unknown[] {
  const items = list(value, what);
  if (items.length !== count) throw nonsense(`The number of ${what} is not the number that was asked for.`);
  return items;
}

function isCommitment(value: unknown): value is Commitment {
  return value === 'processed' || value === 'confirmed' || value === 'finalized';
}
