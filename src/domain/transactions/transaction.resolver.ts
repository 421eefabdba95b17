import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, ID, Info, Query, Resolver, Root, Subscription } from 'type-graphql';
import type { Foundation } from '../../platform/database/index.js';
import { selects } from '../../platform/kernel/selection.js';
import { needsScope, type RequestContext } from '../access/index.js';
import type { TransactionReader } from './find-transaction.js';
import { type AddedTransaction, followTransactions } from './follow-transactions.js';
import { listTransactions } from './list-transactions.js';
import { DETAILS } from './transaction.js';
import {
  IndexedTransactionType,
  ListTransactionsArguments,
  TransactionAddedType,
  TransactionConnectionType,
} from './transaction.type.js';

@Resolver(() => IndexedTransactionType)
export class TransactionResolver {
  constructor(
    private readonly foundation: Foundation,
    private readonly reader: TransactionReader,
  ) {}

  @Query(() => TransactionConnectionType, {
    description:
      'The records of an asset, oldest first. To synchronize, continue from the last `endCursor`. ' +
      needsScope('transactions:read'),
  })
  transactions(
    @Args(() => ListTransactionsArguments) input: ListTransactionsArguments,
    @Ctx() context: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ) {
    return listTransactions(this.foundation, context.principal, input, { details: selects(info, DETAILS) });
  }

  @Query(() => IndexedTransactionType, {
    description:
      'A record, by its id or by the signature of its transaction. If a transaction has several records, ' +
      'its signature returns the first in instruction order. ' +
      needsScope('transactions:read'),
  })
  transaction(
    @Arg('id', () => ID, { description: 'Id of the record, or signature of the transaction (base58).' })
    id: string,
    @Ctx() context: RequestContext,
  ) {
    return this.reader.find(context.principal, id);
  }
}

/** type-graphql calls `subscribe` without an instance, so the class closes over its dependencies. */
export function transactionAddedResolver(foundation: Foundation): object {
  interface Args {
    readonly assetId: string;
    readonly after?: string | null;
  }

  @Resolver()
  class TransactionAddedResolver {
    @Subscription(() => TransactionAddedType, {
      description:
        'Sends the records of an asset as they are added, from the cursor `after` or from now on. To ' +
        'continue without gaps or repeats, subscribe again with the last cursor. Ends with ' +
        'UNAUTHENTICATED when the key or the session ends or its permissions change. ' +
        needsScope('transactions:read'),
      subscribe: ({ args, context }: { args: Args; context: RequestContext }) =>
        followTransactions(foundation, context.principal, args),
    })
    transactionAdded(
      @Arg('assetId', () => ID, { description: 'Id of the asset.' }) _assetId: string,
      @Arg('after', () => String, {
        nullable: true,
        description: 'A cursor of this subscription, or of `transactions` without filters.',
      })
      _after: string | null | undefined,
      @Root() added: AddedTransaction,
    ): AddedTransaction {
      return added;
    }
  }
  return new TransactionAddedResolver();
}
