import { Arg, Ctx, FieldResolver, Int, Query, Resolver, Root, Subscription } from 'type-graphql';
import type { DecryptionPool } from '../crypto/index.js';
import type { Foundation } from '../database/index.js';
import type { RequestContext } from '../organizations/index.js';
import {
  CaseAssetTotalsType,
  CaseTransactionConnectionType,
  CaseTransactionTypeEnum,
} from './case-transaction.type.js';
import type { CaseRecord } from './case.js';
import { CaseChangedType, CaseConnectionType, CaseStatusEnum, CaseType } from './case.type.js';
import { findCase, listCases } from './find-case.js';
import { followCases, type CaseChange, type FollowInput } from './follow-case-changes.js';
import { listCaseTransactions, sumCaseTransactions } from './list-case-transactions.js';

@Resolver(() => CaseType)
export class CaseResolver {
  constructor(
    private readonly foundation: Foundation,
    private readonly pool: DecryptionPool,
  ) {}

  @Query(() => CaseType, {
    description:
      'A case. Needs the administrator permission `cases:approve_creation` or `cases:list`; or the auditor permission ' +
      '`reports:view_transactions`, and then one to which you are not assigned, or whose window is over, is as if it ' +
      'were not there.',
  })
  case(
    @Arg('application', () => String, { description: 'foreignId of the application.' }) application: string,
    @Arg('id', () => String, { description: 'Id of the case.' }) id: string,
    @Ctx() context: RequestContext,
  ) {
    return findCase(this.foundation, context.principal, application, id);
  }

  @Query(() => CaseConnectionType, {
    description:
      'The cases that you may see, newest first: every one as an administrator, those that you are assigned to and ' +
      'whose window is open as an auditor. Needs what `case` needs.',
  })
  cases(
    @Arg('application', () => String, { description: 'foreignId of the application.' }) application: string,
    @Arg('status', () => CaseStatusEnum, { nullable: true, description: 'Only cases that stand so.' })
    status: string | null | undefined,
    @Arg('first', () => Int, { nullable: true, description: 'Items of the page, 1 to 200; 50 when omitted.' })
    first: number | null | undefined,
    @Arg('after', () => String, {
      nullable: true,
      description: 'The `endCursor` of the page before, made with the same filters.',
    })
    after: string | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    return listCases(this.foundation, context.principal, { application, status, first, after });
  }

  @FieldResolver(() => CaseTransactionConnectionType, {
    nullable: true,
    // Each amount takes milliseconds of arithmetic: a listing of cases shows the transactions of few.
    complexity: 1_000,
    description:
      'What the case covers, by block time, with decrypted amounts, masked by its flags. Needs the auditor permission ' +
      '`reports:view_transactions`, an assignment to the case and an open window, also of administrators. The log says ' +
      'who looked, once for a user, case and UTC day.',
  })
  transactions(
    @Root() { id, foreignId }: CaseRecord,
    @Arg('first', () => Int, { nullable: true, description: 'Items of the page, 1 to 200; 50 when omitted.' })
    first: number | null | undefined,
    @Arg('after', () => String, {
      nullable: true,
      description: 'The `endCursor` of the page before, made with the same filters.',
    })
    after: string | null | undefined,
    @Arg('type', () => CaseTransactionTypeEnum, {
      nullable: true,
      description: 'Only transactions of this type.',
    })
    type: string | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    const input = { application: foreignId, caseId: id, first, after, type };
    return listCaseTransactions(this.foundation, this.pool, context.principal, input);
  }

  @FieldResolver(() => [CaseAssetTotalsType], {
    nullable: true,
    complexity: 5_000,
    description:
      'What the transactions of the case move, by asset and type, as far as its flags show it. Made of all of them, so ' +
      'of at most 1,000: more are BAD_USER_INPUT, and a matter for a report. Needs what `transactions` needs, and is ' +
      'logged like it.',
  })
  totals(@Root() { id, foreignId }: CaseRecord, @Ctx() context: RequestContext) {
    const input = { application: foreignId, caseId: id };
    return sumCaseTransactions(this.foundation, this.pool, context.principal, input);
  }
}

/** type-graphql calls `subscribe` without an instance, so the class is made around what it stands on. */
export function caseChangedResolver(foundation: Foundation): object {
  @Resolver()
  class CaseChangedResolver {
    @Subscription(() => CaseChangedType, {
      description:
        'The cases that you may see, as they are made: behind `after`, or from now on. One whose window is over by then ' +
        'is not shown to an auditor; `expiresAt` tells when that will be, and nothing follows then. Ends with ' +
        'UNAUTHENTICATED once the session or what it permits has changed. Needs what `case` needs.',
      subscribe: ({ args, context }: { args: FollowInput; context: RequestContext }) =>
        followCases(foundation, context.principal, args),
    })
    caseChanged(
      @Arg('application', () => String, { description: 'foreignId of the application.' })
      _application: string,
      @Arg('after', () => String, { nullable: true, description: 'A cursor of this subscription.' })
      _after: string | null | undefined,
      @Root() changed: CaseChange,
    ): CaseChange {
      return changed;
    }
  }
  return new CaseChangedResolver();
}
