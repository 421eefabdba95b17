import { GraphQLJSON } from 'graphql-scalars';
import {
  Arg,
  Ctx,
  Extensions,
  FieldResolver,
  Int,
  Mutation,
  Query,
  Resolver,
  Root,
  Subscription,
} from 'type-graphql';
import type { RequestContext } from '../organizations/index.js';
import { findRelayHistory, type RelayHistory } from './find-relay-history.js';
import { findRelayRequest } from './find-relay.js';
import { followRelay } from './follow-relay.js';
import { listRelays } from './list-relays.js';
import { RelayConnectionType, RelayHistoryType } from './relay-history.type.js';
import type { RelayDesk } from './relay-desk.js';
import type { RelayView } from './relay-view.js';
import { RelayRequestType, RelayStatusEnum } from './relay.type.js';
import { retryRelay } from './retry-relay.js';
import { submitRelay } from './submit-relay.js';

const ID = { description: 'Id of the relay request (`rly_…`).' };
const CAPABILITY = 'Needs no credentials: who has the id may.';
const NEEDS = 'Needs the owner permission `relays:read`.';

@Resolver(() => RelayRequestType)
export class RelayResolver {
  constructor(private readonly desk: RelayDesk) {}

  @Mutation(() => RelayRequestType, {
    description:
      'Takes on a prepared package for a shielded pool, or finds the request that it is already: the same package, ' +
      'however it is written, is one request. A package on nullifiers that another one holds is a CONFLICT ' +
      '(`conflicting_payload`). A proof that does not verify is `rejected` and holds nothing. Needs no credentials; ' +
      'submissions of one client address, and of one pool, are limited in a minute. Do not log packages.',
  })
  submitRelayRequest(
    @Arg('package', () => GraphQLJSON, {
      description:
        '`{ version: 1, poolSelector, zkConfigNonce, proofBytes, publicSignals, applicationIdHints }`, and where the ' +
        'pool has a use for it `ciphertextBytes`, `outputNoteEphemeralScalars`, `escrowAuthorization`, ' +
        '`keyVersionHints`, `recipient`. Bytes are hex. Members that are not known are passed over.',
    })
    given: unknown,
    @Ctx() context: RequestContext,
  ) {
    return submitRelay(this.desk, context.clientAddress, given);
  }

  @Query(() => RelayRequestType, { description: `How a relay request stands. ${CAPABILITY}` })
  relayRequest(@Arg('id', () => String, ID) id: string) {
    return findRelayRequest(this.desk, id);
  }

  @Mutation(() => RelayRequestType, {
    description:
      'Begins another attempt at a failed relay request, where `retryAllowed` says so: whether it may is asked again, ' +
      `and refused as a CONFLICT (\`retry_not_allowed\`). Counts as a submission. ${CAPABILITY}`,
  })
  retryRelayRequest(@Arg('id', () => String, ID) id: string, @Ctx() context: RequestContext) {
    return retryRelay(this.desk, context.clientAddress, id);
  }

  @FieldResolver(() => String, { description: 'Where REST tells the status: a path of this host.' })
  statusUrl(@Root() { relayRequestId }: RelayView): string {
    return `/api/relay-requests/${relayRequestId}`;
  }

  @Query(() => RelayConnectionType, {
    description: `The relays whose packages name one of your applications, newest first. ${NEEDS}`,
  })
  relays(
    @Arg('status', () => RelayStatusEnum, { nullable: true, description: 'Only those that stand so.' })
    status: string | null | undefined,
    @Arg('pool', () => String, { nullable: true, description: 'Only those of the pool with this selector.' })
    pool: string | null | undefined,
    @Arg('first', () => Int, { nullable: true, description: 'Items of the page, 1 to 200; 50 when omitted.' })
    first: number | null | undefined,
    @Arg('after', () => String, {
      nullable: true,
      description: 'The `endCursor` of the page before, made with the same filters.',
    })
    after: string | null | undefined,
    @Ctx() context: RequestContext,
  ) {
    return listRelays(this.desk.foundation, context.principal, { status, pool, first, after });
  }

  @Query(() => RelayHistoryType, {
    description: `A relay of your organization with its history: what happened, on what evidence, and the receipts. ${NEEDS}`,
  })
  async relayHistory(@Arg('id', () => String, ID) id: string, @Ctx() context: RequestContext) {
    const history: RelayHistory = await findRelayHistory(this.desk.foundation, context.principal, id);
    const attempts = history.attempts.map(({ signature, feeLamports, ...attempt }) => ({
      ...attempt,
      transactionHash: signature,
      feeLamports: String(feeLamports),
    }));
    return { ...history, attempts };
  }
}

/**
 * The subscription's resolver. type-graphql calls `subscribe` without an instance, so the class is made around what
 * it stands on.
 */
export function relayStatusResolver(desk: RelayDesk): object {
  interface Args {
    readonly relayRequestId: string;
    readonly after?: number | null;
  }

  @Resolver()
  class RelayStatusResolver {
    // The id is the capability: a change looks the same to all who follow the request.
    @Extensions({ sameForAll: true })
    @Subscription(() => RelayRequestType, {
      description:
        'How a relay request stands, at once, and then each change of its status; with `after`, each change behind ' +
        'that, also those missed meanwhile. Nothing is lost or doubled when you subscribe again behind the last ' +
        '`sequence`. Completes behind `succeeded`, `rejected` and `failed`; after an allowed attempt, subscribe again. ' +
        `A client that reads too slowly is closed with 4508. ${CAPABILITY}`,
      subscribe: ({ args }: { args: Args }) => followRelay(desk, args),
    })
    relayStatus(
      @Arg('relayRequestId', () => String, ID) _relayRequestId: string,
      @Arg('after', () => Int, { nullable: true, description: 'The last `sequence` that you saw.' })
      _after: number | null | undefined,
      @Root() view: RelayView,
    ): RelayView {
      return view;
    }
  }
  return new RelayStatusResolver();
}
