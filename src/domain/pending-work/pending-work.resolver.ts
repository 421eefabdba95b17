import { Ctx, Query, Resolver, Root, Subscription } from 'type-graphql';
import { type ApplicationOf, type RequestContext } from '../access/index.js';
import type { Foundation } from '../../platform/database/index.js';
import { findPendingWork, followPendingWork, type PendingWork } from './pending-work.js';
import { PendingWorkType } from './pending-work.type.js';

/** type-graphql calls `subscribe` without an instance, so the class closes over its dependencies. */
export function pendingWorkResolver(foundation: Foundation, applicationOf: ApplicationOf): object {
  @Resolver()
  class PendingWorkResolver {
    @Query(() => [PendingWorkType], {
      complexity: 20,
      description:
        'What waits for your decision, by application and sorted by foreignId. It lists each application where ' +
        'you hold `cases:approve_creation` or `disclosures:decide`. With the owner permission ' +
        '`disclosures:decide`, it also lists every other application where you hold a permission or where a ' +
        'disclosure waits. Needs a session.',
    })
    pendingWork(@Ctx() context: RequestContext) {
      return findPendingWork(foundation, applicationOf, context.principal);
    }

    @Subscription(() => [PendingWorkType], {
      complexity: 20,
      description:
        'Sends `pendingWork` as it is now, and after each change. Ends with UNAUTHENTICATED when the session ends ' +
        'or its permissions change. Needs a session.',
      subscribe: ({ context }: { context: RequestContext }) =>
        followPendingWork(foundation, applicationOf, context.principal),
    })
    pendingWorkChanged(@Root() work: readonly PendingWork[]): readonly PendingWork[] {
      return work;
    }
  }
  return new PendingWorkResolver();
}
