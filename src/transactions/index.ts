import type { Foundation } from '../database/index.js';
import { createTransactionReader } from './find-transaction.js';
import { TransactionResolver, transactionAddedResolver } from './transaction.resolver.js';

export { createTransactionReader, type TransactionReader } from './find-transaction.js';
export { followTransactions, transactionsTopic, type AddedTransaction } from './follow-transactions.js';
export { listTransactions, type ListTransactionsInput } from './list-transactions.js';
export { parsePeriod, type Period } from './period.js';
export { TRANSACTION_COLUMNS, type IndexedTransaction, type StoredCiphertexts } from './transaction.js';
export {
  ConfidentialEventTypeEnum,
  IndexedTransactionType,
  TransactionConnectionType,
} from './transaction.type.js';

/** The room's resolvers, ready to serve. */
export function transactionResolvers(foundation: Foundation): object[] {
  const reader = createTransactionReader(foundation);
  return [new TransactionResolver(foundation, reader), transactionAddedResolver(foundation)];
}
