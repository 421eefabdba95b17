import { invalidMember } from '../../../platform/kernel/errors.js';
import { parseIdOrNotFound } from '../../../platform/kernel/ids.js';
import type { Pushable } from '../../../platform/signals/index.js';
import type { RelayView } from './relay-view.js';
import type { StatusFeed } from './status-feed.js';

export interface FollowRelayInput {
  readonly relayRequestId: string;
  /** The last sequence number that the caller saw. */
  readonly after?: number | null | undefined;
}

/**
 * The current state of a request and each later change, or each change after `after`, for anyone who has its id. Completes
 * after an end.
 * @throws {LucarneError} NOT_FOUND, and BAD_USER_INPUT if `after` is not a sequence number.
 */
export async function followRelay(
  { feed }: { readonly feed: StatusFeed },
  { relayRequestId, after }: FollowRelayInput,
): Promise<Pushable<RelayView>> {
  if (after != null && !(Number.isSafeInteger(after) && after >= 0))
    throw invalidMember('after', 'must be a sequence number that this subscription sent');
  return feed.follow(parseIdOrNotFound('rly', relayRequestId), after ?? undefined);
}
