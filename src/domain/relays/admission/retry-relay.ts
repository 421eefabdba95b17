import { conflict, notFound, unavailable } from '../../../platform/kernel/errors.js';
import { clientNetwork } from '../../../platform/kernel/client-network.js';
import { type Id, parseIdOrNotFound } from '../../../platform/kernel/ids.js';
import { changeStatus } from '../status/change-status.js';
import { inTurn, readRoom, requireRoom, type RelayDesk } from './relay-desk.js';
import { findView, type RelayView } from '../status/relay-view.js';
import { findRelay, selectClientHash } from '../relay.js';

/**
 * Starts another attempt of a failed request, for anyone who has its id. Stored facts decide whether it is allowed. If two
 * callers race, only one starts an attempt.
 *
 * @throws {LucarneError} NOT_FOUND. CONFLICT: `retry_not_allowed`. TOO_MANY_REQUESTS: `rate_limited`. UNAVAILABLE:
 *   `relayer_unavailable`, `low_balance`, `queue_at_capacity`.
 */
export async function retryRelay(
  desk: RelayDesk,
  clientAddress: string,
  relayRequestId: string,
): Promise<RelayView> {
  const network = clientNetwork(clientAddress);
  await desk.groups.countClient(network);
  const id = parseIdOrNotFound('rly', relayRequestId);
  const { foundation, pools } = desk;
  const asked = await findRelay(foundation.database, id);
  if (!asked) throw notFound('relay request');
  if (!(await findView(foundation.database, id))?.retryAllowed) throw notAllowed();
  if (!pools.has(asked.poolSelector))
    throw unavailable('The relayer does not serve this pool now. Try again later.', {
      reason: 'relayer_unavailable',
      retryAfterSeconds: 60,
    });
  const clientHash = await selectClientHash(foundation.database, id);
  const { poolSelector } = asked;
  requireRoom(desk, await readRoom(desk, { network, poolSelector, clientHash }));
  // Counted only if an attempt can begin, because a caller whose attempt is refused can ask again and again.
  return inTurn(desk, [id], async () => {
    if (!(await findView(foundation.database, id))?.retryAllowed) throw notAllowed();
    await desk.groups.countAttempt(poolSelector);
    return begin(desk, id);
  });
}

function begin({ foundation }: RelayDesk, id: Id<'rly'>): Promise<RelayView> {
  return foundation.database.transaction(async (transaction) => {
    const relay = await findRelay(transaction, id);
    const view = await findView(transaction, id);
    if (!relay || view?.sequence !== relay.sequence || !view.retryAllowed) throw notAllowed();
    const queued = await changeStatus(transaction, foundation, relay, {
      to: 'queued',
      evidence: {},
      attemptNumber: (relay.attemptNumber ?? 0) + 1,
    });
    const begun = queued && (await findView(transaction, id));
    if (!begun) throw notAllowed();
    return begun;
  });
}

const notAllowed = () =>
  conflict('Another attempt is not allowed in the current state of the request.', {
    reason: 'retry_not_allowed',
  });
