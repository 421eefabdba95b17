import { GraphQLDateTimeISO, GraphQLJSON } from 'graphql-scalars';
import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ID,
  Int,
  Mutation,
  Query,
  Resolver,
  Root,
  Subscription,
} from 'type-graphql';
import { PageArguments } from '../../platform/kernel/paging/page-arguments.type.js';
import type { RequestContext } from '../access/index.js';
import { findRelayHistory } from './status/find-relay-history.js';
import { findRelayRequest } from './status/find-relay.js';
import { followRelay } from './status/follow-relay.js';
import { followRelays } from './status/follow-relays.js';
import { listRelays, type OrganizationRelay } from './status/list-relays.js';
import { RelayConnectionType, RelayHistoryType, RelayType } from './status/relay-history.type.js';
import type { RelayDesk } from './admission/relay-desk.js';
import { mayRetryOf, type RelayView } from './status/relay-view.js';
import { listPools } from './pools/list-pools.js';
import { PoolType, RelayRequestType, RelayStatusEnum } from './relay.type.js';
import { retryRelay } from './admission/retry-relay.js';
import type { RelayStatus } from './relay-state.js';
import { submitRelay } from './admission/submit-relay.js';

const RELAY_ID = { description: 'Id of the relay request (`rly_…`).' };
const CAPABILITY = 'Needs no credentials: the id is enough.';
const NEEDS = 'Needs the owner permission `relays:read`.';

@ArgsType()
class RelaysArguments extends PageArguments {
  @Field(() => String, {
    nullable: true,
    description:
      'Only relays whose packages name the application with this foreignId. Relays that were accepted before ' +
      'this filter existed are found only if your organization had exactly one application when the database ' +
      'was migrated.',
  })
  foreignId?: string | null;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'Only relays that were accepted at this time or later.',
  })
  from?: Date | null;

  @Field(() => GraphQLDateTimeISO, {
    nullable: true,
    description: 'Only relays that were accepted at this time or earlier.',
  })
  to?: Date | null;

  @Field(() => RelayStatusEnum, { nullable: true, description: 'Only relays with this status.' })
  status?: RelayStatus | null;

  @Field(() => String, { nullable: true, description: 'Only relays of the pool with this selector.' })
  poolSelector?: string | null;
}

@Resolver(() => RelayRequestType)
export class RelayResolver {
  constructor(private readonly desk: RelayDesk) {}

  @Mutation(() => RelayRequestType, {
    description:
      'Submits a prepared package for a shielded pool. Submitting the same package again, in any ' +
      'spelling, returns the existing request, even while the queue is full. If that request was ' +
      '`rejected`, or `failed` and cannot be retried, a new request is created. Fails with CONFLICT and ' +
      'the reason `conflicting_payload` if another request holds a nullifier of the package. A package ' +
      'whose proof does not verify is `rejected` and holds no nullifiers. Needs no credentials; ' +
      'submissions are limited per minute for each client address and each pool. Do not log packages.',
  })
  submitRelayRequest(
    @Arg('package', () => GraphQLJSON, {
      description:
        '`{ version: 1, poolSelector, zkConfigNonce, proofBytes, publicSignals, applicationIdHints }`, and if ' +
        'the pool uses them `ciphertextBytes`, `outputNoteEphemeralScalars`, `escrowAuthorization`, ' +
        '`keyVersionHints`, `recipient`. Bytes are in hex. Unknown members are ignored.',
    })
    submitted: unknown,
    @Ctx() context: RequestContext,
  ) {
    return submitRelay(this.desk, context.clientAddress, submitted);
  }

  // Nullable, so that an unknown id does not remove the answers to the other fields of the query.
  @Query(() => RelayRequestType, {
    nullable: true,
    description: `The status of a relay request. ${CAPABILITY}`,
  })
  relayRequest(@Arg('relayRequestId', () => ID, RELAY_ID) relayRequestId: string) {
    return findRelayRequest(this.desk, relayRequestId);
  }

  @Mutation(() => RelayRequestType, {
    description:
      'Starts another attempt of a failed relay request. Fails with CONFLICT and the reason ' +
      `\`retry_not_allowed\` if \`retryAllowed\` is false. The call counts as a submission. ${CAPABILITY}`,
  })
  retryRelayRequest(
    @Arg('relayRequestId', () => ID, RELAY_ID) relayRequestId: string,
    @Ctx() context: RequestContext,
  ) {
    return retryRelay(this.desk, context.clientAddress, relayRequestId);
  }

  @FieldResolver(() => String, { description: 'The path of the status in the REST API of this host.' })
  statusUrl(@Root() { relayRequestId }: RelayView): string {
    return `/api/relay-requests/${relayRequestId}`;
  }

  @Query(() => RelayConnectionType, {
    description: `The relays whose packages name one of your applications, newest first. ${NEEDS}`,
  })
  async relays(@Args(() => RelaysArguments) input: RelaysArguments, @Ctx() context: RequestContext) {
    const { edges, nodes, pageInfo } = await listRelays(this.desk.foundation, context.principal, input);
    return {
      pageInfo,
      nodes: nodes.map(shownRelay),
      edges: edges.map(({ cursor, node }) => ({ cursor, node: shownRelay(node) })),
    };
  }

  @Query(() => [PoolType], {
    description:
      'The shielded pools that this gateway relays for and that your applications may use, sorted by selector. ' +
      NEEDS,
  })
  pools(@Ctx() context: RequestContext) {
    return listPools(this.desk, context.principal);
  }

  @Query(() => RelayHistoryType, {
    description:
      'A relay of your organization with its status changes, their evidence, its attempts and its receipts. ' +
      NEEDS,
  })
  async relayHistory(
    @Arg('relayRequestId', () => ID, RELAY_ID) relayRequestId: string,
    @Ctx() context: RequestContext,
  ) {
    const { relay, events, attempts, receipts } = await findRelayHistory(
      this.desk.foundation,
      context.principal,
      relayRequestId,
    );
    return {
      relay: shownRelay(relay),
      events: events.map(({ reason, signature, ...event }) => ({
        ...event,
        publicReason: reason,
        transactionHash: signature,
      })),
      attempts: attempts.map(({ signature, feeLamports, ...attempt }) => ({
        ...attempt,
        transactionHash: signature,
        feeLamports: String(feeLamports),
      })),
      receipts,
    };
  }
}

const shownRelay = ({ id, reason, ...relay }: OrganizationRelay) => ({
  ...relay,
  relayRequestId: id,
  publicReason: reason,
});

/** Whether a relay of a list may be retried. The relays of one response are read together. */
@Resolver(() => RelayType)
export class RelayRetryResolver {
  private readonly mayRetry;

  constructor({ foundation }: RelayDesk) {
    this.mayRetry = mayRetryOf(foundation.database);
  }

  @FieldResolver()
  retryAllowed(@Root() relay: ReturnType<typeof shownRelay>): Promise<boolean> | boolean {
    return relay.status === 'failed' && this.mayRetry(relay);
  }
}

/** The resolver of the subscriptions. type-graphql calls `subscribe` without an instance, so the class closes over the desk. */
export function relayStatusResolver(desk: RelayDesk): object {
  interface StatusArguments {
    readonly relayRequestId: string;
    readonly after?: number | null;
  }

  @Resolver()
  class RelayStatusResolver {
    // The id is the capability, so each change looks the same to every subscriber.
    @Extensions({ sameForAll: true })
    @Subscription(() => RelayRequestType, {
      description:
        'Sends the status of a relay request at once, then each change. With `after`, it sends every change ' +
        'after that `sequence` exactly once, including missed ones. It completes after `succeeded`, `rejected` ' +
        'or `failed`; subscribe again after an allowed retry. The connection of a client that reads too slowly ' +
        'is closed with code 4508. ' +
        CAPABILITY,
      subscribe: ({ args }: { args: StatusArguments }) => followRelay(desk, args),
    })
    relayStatus(
      @Arg('relayRequestId', () => ID, RELAY_ID) _relayRequestId: string,
      @Arg('after', () => Int, { nullable: true, description: 'The last `sequence` that you saw.' })
      _after: number | null | undefined,
      @Root() view: RelayView,
    ): RelayView {
      return view;
    }

    @Subscription(() => RelayType, {
      description:
        'Sends a relay of your organization in its current state each time its status changes. It covers the 100 ' +
        'most recently accepted relays, sends no earlier changes, and combines changes in quick succession. ' +
        NEEDS,
      subscribe: ({ context }: { context: RequestContext }) =>
        followRelays(desk.foundation, context.principal),
    })
    relayChanged(@Root() relay: OrganizationRelay) {
      return shownRelay(relay);
    }
  }
  return new RelayStatusResolver();
}
