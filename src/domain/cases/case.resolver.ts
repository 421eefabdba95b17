import { ValueProofType } from '../transactions/index.js';
import { COMPLEXITY_OF_LARGE_ROWS } from '../../platform/kernel/paging/page-weight.js';
import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root, Subscription } from 'type-graphql';
import type { DecryptionPool } from '../../platform/crypto/index.js';
import type { Foundation } from '../../platform/database/index.js';
import type { RequestContext } from '../access/index.js';
import type { CaseRecord } from './case.js';
import {
  CaseArguments,
  CaseChangedType,
  CaseConnectionType,
  CaseListArguments,
  CaseType,
  ChangeCaseAuditorInputType,
  EndCaseInputType,
  FollowCasesArguments,
} from './case.type.js';
import type { CaseFacts } from './case-facts.js';
import { findCase, listCases } from './find-case.js';
import { addCaseAuditor, removeCaseAuditor } from './running/change-case-auditors.js';
import { endCase } from './running/end-case.js';
import { type CaseChange, followCases } from './follow-case-changes.js';
import {
  CaseAmountInputType,
  CaseAssetTotalsType,
  CaseTransactionArguments,
  CaseTransactionConnectionType,
  CaseTransactionCountType,
  FollowCaseTransactionsArguments,
} from './records/case-transaction.type.js';
import { type CaseTransactionCount, followCaseTransactions } from './records/follow-case-transactions.js';
import {
  listCaseTransactions,
  type ListCaseTransactionsInput,
  sumCaseTransactions,
} from './records/list-case-transactions.js';
import { proveCaseAmounts } from './records/prove-transactions.js';

@Resolver(() => CaseType)
export class CaseResolver {
  constructor(
    private readonly foundation: Foundation,
    private readonly pool: DecryptionPool,
    private readonly facts: CaseFacts,
  ) {}

  @FieldResolver()
  approver(@Root() { organizationId, approvedBy }: CaseRecord) {
    return this.facts.personOf(organizationId, approvedBy);
  }

  @Query(() => CaseType, {
    description:
      'A case. Needs the administrator permission `cases:approve_creation` or `cases:list`, or the ' +
      'auditor permission `reports:view_transactions`. For an auditor, fails with NOT_FOUND if the case ' +
      'has expired or the auditor is not assigned to it.',
  })
  case(@Args(() => CaseArguments) input: CaseArguments, @Ctx() context: RequestContext) {
    return findCase(this.foundation, context.principal, input);
  }

  @Query(() => CaseConnectionType, {
    complexity: COMPLEXITY_OF_LARGE_ROWS,
    description:
      'The cases that you may see, newest first. Administrators see all cases; auditors see the active cases ' +
      'that are assigned to them. Needs the same permissions as `case`.',
  })
  cases(@Args(() => CaseListArguments) input: CaseListArguments, @Ctx() context: RequestContext) {
    return listCases(this.foundation, context.principal, input);
  }

  @FieldResolver()
  ender(@Root() { organizationId, endedBy }: CaseRecord) {
    return this.facts.personOf(organizationId, endedBy);
  }

  @Mutation(() => CaseType, {
    description:
      'Ends a case early: its auditors lose access at once. Fails with CONFLICT if the case has already ' +
      'ended. Needs the administrator permission `cases:approve_creation`.',
  })
  endCase(
    @Arg('input', () => EndCaseInputType, { description: 'The case and the reason.' })
    input: EndCaseInputType,
    @Ctx() context: RequestContext,
  ) {
    return endCase(this.foundation, context.principal, input);
  }

  @Mutation(() => CaseType, {
    description:
      'Assigns another auditor to an active case. If the organization requires a second person, two ' +
      'administrators must make the same call, and neither may be that auditor. Needs the administrator ' +
      'permission `cases:approve_creation`.',
  })
  addCaseAuditor(
    @Arg('input', () => ChangeCaseAuditorInputType, { description: 'The case, the auditor and the reason.' })
    input: ChangeCaseAuditorInputType,
    @Ctx() context: RequestContext,
  ) {
    return addCaseAuditor(this.foundation, context.principal, input);
  }

  @Mutation(() => CaseType, {
    description:
      'Removes an auditor from a case. The auditor loses access at once. Fails with CONFLICT for the last ' +
      'auditor: end the case instead. Needs the administrator permission `cases:approve_creation`.',
  })
  removeCaseAuditor(
    @Arg('input', () => ChangeCaseAuditorInputType, { description: 'The case, the auditor and the reason.' })
    input: ChangeCaseAuditorInputType,
    @Ctx() context: RequestContext,
  ) {
    return removeCaseAuditor(this.foundation, context.principal, input);
  }

  @FieldResolver(() => CaseTransactionConnectionType, {
    nullable: true,
    // Decrypting an amount takes milliseconds, so a listing of cases can show the transactions of only a few.
    complexity: 1_000,
    description:
      'The transactions that the case covers, with decrypted amounts and masked by its flags. They are ' +
      'sorted by block time; without the flag `fullTxIds`, by day and reference. Needs the auditor ' +
      'permission `reports:view_transactions`, an assignment to the case and an active case; ' +
      'administrators need these too. The activity log records the first read of each user, case and hour ' +
      'at once, and the number of reads after the hour ends.',
  })
  transactions(
    @Root() { id, foreignId }: CaseRecord,
    @Args(() => CaseTransactionArguments) input: Omit<ListCaseTransactionsInput, 'foreignId' | 'caseId'>,
    @Ctx() context: RequestContext,
  ) {
    return listCaseTransactions(this.foundation, this.pool, context.principal, {
      ...input,
      foreignId,
      caseId: id,
    });
  }

  @FieldResolver(() => [ValueProofType], {
    nullable: 'itemsAndList',
    complexity: 5_000,
    description:
      'The proofs of amounts that you read from `transactions`, in the order of `amounts`. A proof takes ' +
      'longer than its amount, so read the transactions without `proof` first, and request the proofs ' +
      'afterwards. Null if the amount is public on the ledger, or is not the amount of its transaction. ' +
      'Fails with NOT_FOUND if the case does not have one of the transactions, or does not grant ' +
      '`fullTxIds`. Needs the same permissions as `transactions`. The activity log counts the answer, and ' +
      'the transactions for which you stated another amount.',
  })
  amountProofs(
    @Root() { id, foreignId }: CaseRecord,
    @Arg('amounts', () => [CaseAmountInputType], { description: 'The amounts, 1 to 200.' })
    amounts: CaseAmountInputType[],
    @Ctx() context: RequestContext,
  ) {
    return proveCaseAmounts(this.foundation, this.pool, context.principal, {
      amounts,
      foreignId,
      caseId: id,
    });
  }

  @FieldResolver(() => [CaseAssetTotalsType], {
    nullable: true,
    complexity: 5_000,
    description:
      'The totals of the case’s transactions by asset and type, for the amounts that its flags show. ' +
      'Fails with BAD_USER_INPUT if the case covers more than 1,000 transactions: generate a report ' +
      'instead. Needs the same permissions as `transactions`, and the read is logged in the same way.',
  })
  totals(@Root() { id, foreignId }: CaseRecord, @Ctx() context: RequestContext) {
    return sumCaseTransactions(this.foundation, this.pool, context.principal, { foreignId, caseId: id });
  }
}

/** type-graphql calls `subscribe` without an instance, so the class closes over its dependencies. */
export function caseChangedResolver(foundation: Foundation): object {
  @Resolver()
  class CaseChangedResolver {
    @Subscription(() => CaseChangedType, {
      description:
        'Sends the cases that you may see when they are created, when their auditors change and when they ' +
        'are ended early, from the cursor `after` or from now on. If you missed several changes of a ' +
        'case, you receive the last one. Auditors do not receive a case that has ended or expired. ' +
        'Nothing is sent when a case expires: see `expiresAt`. Ends with UNAUTHENTICATED when the session ' +
        'ends or its permissions change. Needs the same permissions as `case`.',
      subscribe: ({ args, context }: { args: FollowCasesArguments; context: RequestContext }) =>
        followCases(foundation, context.principal, args),
    })
    caseChanged(
      @Args(() => FollowCasesArguments) _input: FollowCasesArguments,
      @Root() changed: CaseChange,
    ): CaseChange {
      return changed;
    }

    @Subscription(() => CaseTransactionCountType, {
      description:
        'Sends the number of transactions that a case shows with these filters, at once and each time one is ' +
        'added. Read the transactions themselves from `case.transactions`, which has the same filters. Ends with NOT_FOUND when the case expires or the ' +
        'assignment ends. Needs `reports:view_transactions` in the bucket `auditor`, an assignment to the case, ' +
        'and an active case.',
      subscribe: ({ args, context }: { args: FollowCaseTransactionsArguments; context: RequestContext }) =>
        followCaseTransactions(foundation, context.principal, args),
    })
    caseTransactionAdded(
      @Args(() => FollowCaseTransactionsArguments) _input: FollowCaseTransactionsArguments,
      @Root() count: CaseTransactionCount,
    ): CaseTransactionCount {
      return count;
    }
  }
  return new CaseChangedResolver();
}
