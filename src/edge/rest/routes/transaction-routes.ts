import { examples } from '../examples/examples.js';
import type { Route, Variables } from '../route.js';
import { AssetParams } from '../schemas/asset.js';
import {
  TransactionListQuery,
  TransactionPageSchema,
  TransactionParams,
  TransactionSchema,
} from '../schemas/transaction.js';

interface TransactionPageData {
  readonly page: {
    readonly transactions: readonly unknown[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  };
}

export const transactionRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/assets/{id}/transactions',
    document: 'list-transactions',
    needs: ['scope transactions:read'],
    credentials: 'api_key',
    tag: 'Transactions',
    summary: 'List indexed transactions',
    description:
      'Lists the records of an asset in the order in which they were indexed, oldest first, so that a ' +
      'synchronization misses none. Records have public data and ciphertexts only. Needs the scope ' +
      '`transactions:read`.',
    params: AssetParams,
    query: TransactionListQuery,
    argumentNames: { first: 'limit', after: 'cursor' },
    answer: {
      status: 200,
      description: 'A page of records.',
      schema: TransactionPageSchema,
      items: TransactionSchema,
      examples: examples.transactionPage,
      take: ({ page }: TransactionPageData, variables: Variables) => ({
        assetId: variables['id'],
        transactions: page.transactions,
        nextCursor: page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null,
      }),
    },
    errors: {
      BAD_USER_INPUT:
        'A query parameter is unknown, given twice or malformed, or the cursor belongs to other filters.',
      NOT_FOUND: 'Your organization has no such asset.',
      CONFLICT: 'Some of the records that the page could hold are in cold storage (`records_archived`).',
    },
  },
  {
    method: 'GET',
    path: '/v1/transactions/{transactionId}',
    document: 'get-transaction',
    needs: ['scope transactions:read'],
    credentials: 'api_key',
    tag: 'Transactions',
    summary: 'Read an indexed transaction',
    description:
      'Returns a record by its id or by the signature of its transaction. If a transaction has several ' +
      'records, its signature returns the first in instruction order. Needs the scope `transactions:read`.',
    params: TransactionParams,
    answer: {
      status: 200,
      description: 'The record.',
      schema: TransactionSchema,
      examples: examples.transaction,
      take: (data: { transaction: unknown }) => data.transaction,
    },
    errors: {
      NOT_FOUND: 'No asset of your organization has such a transaction.',
      CONFLICT:
        'The transaction was not found, but some records are in cold storage and were not searched ' +
        '(`records_archived`).',
    },
  },
];
