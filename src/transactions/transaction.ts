import { sql, type Reader } from '../database/index.js';
import type { Id } from '../kernel/ids.js';
import type { JsonObject } from '../kernel/json.js';
import type { Address, ConfidentialEventType, Signature } from '../ledger/index.js';

/** The auditor's ciphertext as the instruction holds it: two parts, each base64 of 64 bytes. */
export interface StoredCiphertexts {
  readonly auditor?: { readonly lo: string; readonly hi: string };
}

/** One confidential instruction as it was indexed: what is public, and ciphertexts; never an amount in clear. */
export interface IndexedTransaction {
  readonly id: Id<'txn'>;
  readonly assetId: Id<'ast'>;
  /** Its place in the asset's order of indexing: from 1, without gaps, in the order of commits. */
  readonly position: number;
  readonly network: 'solana';
  readonly networkTransactionId: Signature;
  readonly type: ConfidentialEventType;
  readonly slot: number;
  /** Unix seconds, as the ledger estimates them. */
  readonly blockTime: number | null;
  readonly signer: Address;
  readonly publicData: JsonObject;
  readonly ciphertexts: StoredCiphertexts;
  readonly indexedAt: Date;
  readonly sourceAccount: Address | null;
  readonly destinationAccount: Address | null;
}

/** The members of a record that are the larger part of it, and that a list seldom shows. */
export const DETAILS = ['publicData', 'ciphertexts'] as const;

/** A record as a list has it that asks for no details. */
export type TransactionSummary = Omit<IndexedTransaction, (typeof DETAILS)[number]>;

/** The columns of a `TransactionSummary`, of the table or alias `transactions`. */
export const SUMMARY_COLUMNS = `
  transactions.id, transactions.asset_id as "assetId", transactions.position, 'solana' as network,
  transactions.signature as "networkTransactionId", transactions.type, transactions.slot,
  transactions.block_time as "blockTime", transactions.signer, transactions.indexed_at as "indexedAt",
  transactions.source_account as "sourceAccount", transactions.destination_account as "destinationAccount"`;

/** The same of an `IndexedTransaction`. */
export const RECORD_COLUMNS = `${SUMMARY_COLUMNS},
  transactions.public_data as "publicData", transactions.ciphertexts`;

export const TRANSACTION_COLUMNS = sql.raw(RECORD_COLUMNS);

/** The asset's records behind `position`, oldest first. The caller has checked that the asset is the organization's. */
export function transactionsBehind(
  reader: Reader,
  organizationId: Id<'org'>,
  assetId: Id<'ast'>,
  position: number,
  limit: number,
): Promise<IndexedTransaction[]> {
  return reader.rows(sql<IndexedTransaction>`
    select ${TRANSACTION_COLUMNS} from transactions join assets on assets.id = transactions.asset_id
    where assets.organization_id = ${organizationId} and transactions.asset_id = ${assetId}
      and transactions.position > ${position}
    order by transactions.position limit ${limit}`);
}
