import { GraphQLDateTimeISO } from 'graphql-scalars';
import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, Info, Int, Query, Resolver, Root, Subscription } from 'type-graphql';
import type { Foundation } from '../database/index.js';
import { selects } from '../kernel/selection.js';
import type { RequestContext } from '../organizations/index.js';
import type { TransactionReader } from './find-transaction.js';
import { followTransactions, type AddedTransaction } from './follow-transactions.js';
import { listTransactions } from './list-transactions.js';
import { DETAILS } from './transaction.js';
import {
  ConfidentialEventTypeEnum,
  IndexedTransactionType,
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
      'The records of an asset, oldest first: to synchronize, go on from the last `endCursor`. Needs ' +
      '`transactions:read`.',
  })
  transactions(
    @Arg('assetId', () => String, { description: 'Id of the asset.' }) assetId: string,
    @Arg('first', () => Int, { nullable: true, description: 'Items of the page, 1 to 200; 50 when omitted.' })
    first: number | null | undefined,
    @Arg('after', () => String, {
      nullable: true,
      description: 'The `endCursor` of the page before, made with the same filters.',
    })
    after: string | null | undefined,
    @Arg('type', () => ConfidentialEventTypeEnum, {
      nullable: true,
      description: 'Only records of this type.',
    })
    type: string | null | undefined,
    @Arg('account', () => String, {
      nullable: true,
      description: 'Only records whose source or destination is this token account (base58).',
    })
    account: string | null | undefined,
    @Arg('from', () => GraphQLDateTimeISO, { nullable: true, description: 'Indexed at this time or later.' })
    from: Date | null | undefined,
    @Arg('to', () => GraphQLDateTimeISO, { nullable: true, description: 'Indexed at this time or earlier.' })
    to: Date | null | undefined,
    @Ctx() context: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ) {
    const input = { assetId, first, after, type, account, from, to };
    return listTransactions(this.foundation, context.principal, input, { details: selects(info, DETAILS) });
  }

  @Query(() => IndexedTransactionType, {
    description:
      'A record by its id, or by a ledger signature: then the first of its transaction in instruction order. Needs ' +
      '`transactions:read`.',
  })
  transaction(
    @Arg('id', () => String, { description: 'Id of the record, or signature of the transaction (base58).' })
    id: string,
    @Ctx() context: RequestContext,
  ) {
    return this.reader.find(context.principal, id);
  }
}

/**
 * The subscription's resolver. type-graphql calls `subscribe` without an instance, so the class is made around what
 * it stands on.
 */
export function transactionAddedResolver(foundation: Foundation): object {
  interface Args {
    readonly assetId: string;
    readonly after?: string | null;
  }

  @Resolver()
  class TransactionAddedResolver {
    @Subscription(() => TransactionAddedType, {
      description:
        'The records of an asset as they are added: behind `after`, or from now on. Nothing is lost or doubled when ' +
        'you subscribe again behind the last cursor. Ends with UNAUTHENTICATED once the key, the session or what they ' +
        'permit has changed. Needs `transactions:read`.',
      subscribe: ({ args, context }: { args: Args; context: RequestContext }) =>
        followTransactions(foundation, context.principal, args),
    })
    transactionAdded(
      @Arg('assetId', () => String, { description: 'Id of the asset.' }) _assetId: string,
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
