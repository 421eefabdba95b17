import type { Foundation } from '../../platform/database/index.js';
import { createTransactionReader } from './find-transaction.js';
import { ArchivedKeyEntity, ArchivedPartEntity } from './parts/archived-part.entity.js';
import { TransactionEntity } from './transaction.entity.js';
import { TransactionResolver, transactionAddedResolver } from './transaction.resolver.js';

export { amountVisibility } from './amount-visibility.js';
export { decryptRecords, proveRecords, type ProvenRecord } from './decrypt-records.js';
export { createTransactionReader } from './find-transaction.js';
export { followTransactions, transactionsTopic } from './follow-transactions.js';
export { listTransactions, type ListTransactionsInput } from './list-transactions.js';
export { parsePeriod, type Period } from './period.js';
export { transactionLines } from './transaction-lines.js';
export { moveOldRecords } from './parts/move-old-records.js';
export { archivePart } from './parts/archive-part.js';
export { attachPart } from './parts/attach-part.js';
export { areAttached, newestOfAsset } from './parts/attached.js';
export { type ArchivedPart, listArchives, listParts } from './parts/parts.js';
export { newestPosition, recordColumns, recordsOfAsset, type IndexedTransaction } from './transaction.js';
export { ConfidentialEventTypeEnum, TransactionConnectionType, ValueProofType } from './transaction.type.js';

export const transactionEntities = [TransactionEntity, ArchivedPartEntity, ArchivedKeyEntity] as const;

/** The resolvers of this room. */
export function transactionResolvers(foundation: Foundation): object[] {
  const reader = createTransactionReader(foundation);
  return [new TransactionResolver(foundation, reader), transactionAddedResolver(foundation)];
}
