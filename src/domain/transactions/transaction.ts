import { aliasedColumnsOf, query, sql, type Reader, type RowOf } from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';
import type { Network } from '../../platform/kernel/enums/network.js';
import type { Signature } from '../../platform/ledger/index.js';
import { areAttached, newestOfAsset } from './parts/attached.js';
import { TransactionEntity } from './transaction.entity.js';

/** A record as its readers see it. */
export interface IndexedTransaction extends Omit<
  RowOf<typeof TransactionEntity>,
  'organizationId' | 'signature' | 'path' | 'part'
> {
  readonly network: Network;
  readonly networkTransactionId: Signature;
}

/** The largest members of a record, which a list seldom shows. */
export const DETAILS = ['publicData', 'ciphertexts'] as const;

/** A record in a listing without the details. */
export type TransactionSummary = Omit<IndexedTransaction, (typeof DETAILS)[number]>;

/** The columns of a `TransactionSummary`, of the table or alias `transactions`, for prepared statements. */
export const SUMMARY_COLUMNS = `
  transactions.id, transactions.asset_id as "assetId", transactions.position, 'solana' as network,
  transactions.signature as "networkTransactionId", transactions.type, transactions.slot,
  transactions.block_time as "blockTime", transactions.signer, transactions.indexed_at as "indexedAt",
  transactions.source_account as "sourceAccount", transactions.destination_account as "destinationAccount"`;

/** The columns of an `IndexedTransaction`, of the table or alias `transactions`. */
export const RECORD_COLUMNS = `${SUMMARY_COLUMNS},
  transactions.public_data as "publicData", transactions.ciphertexts`;

/** The records of an organization's asset. The caller adds filters, the check that they are attached, the order and the limit. */
export const recordsOfAsset = (organizationId: Id<'org'>, assetId: Id<'ast'>) =>
  query
    .selectFrom('transactions')
    .innerJoin('assets', 'assets.id', 'transactions.asset_id')
    .where('assets.organization_id', '=', organizationId)
    .where('transactions.asset_id', '=', assetId);

/** The selection of an `IndexedTransaction`. */
export const recordColumns = () => [
  ...aliasedColumnsOf('transactions', TransactionEntity, [
    'id',
    'assetId',
    'position',
    'type',
    'slot',
    'blockTime',
    'signer',
    'sourceAccount',
    'destinationAccount',
    'publicData',
    'ciphertexts',
    'indexedAt',
  ]),
  'transactions.signature as networkTransactionId' as const,
  sql<Network>`'solana'`.as('network'),
];

/** The position of the asset's newest record. 0 if there is none. */
export async function newestPosition(
  reader: Reader,
  organizationId: Id<'org'>,
  assetId: Id<'ast'>,
): Promise<number> {
  const [row] = await reader.rows(
    query
      .selectFrom('assets')
      .select(newestOfAsset.as('position'))
      .where('organization_id', '=', organizationId)
      .where('id', '=', assetId),
  );
  return row?.position ?? 0;
}

/** The asset's records after `position`, oldest first. */
export function transactionsAfter(
  reader: Reader,
  organizationId: Id<'org'>,
  assetId: Id<'ast'>,
  position: number,
  limit: number,
): Promise<IndexedTransaction[]> {
  return reader.rows(
    recordsOfAsset(organizationId, assetId)
      .select(recordColumns())
      .where('transactions.position', '>', position)
      .where(areAttached(organizationId, [assetId], { after: position }))
      .orderBy('transactions.position')
      .limit(limit),
  );
}
