import { conflict, notFound, unavailable } from '../kernel/errors.js';
import { locateId } from '../kernel/ids.js';
import { changeStatus } from './change-status.js';
import { clientWindow, count, poolWindow, requireCapacity, type RelayDesk } from './relay-desk.js';
import { findView, type RelayView } from './relay-view.js';
import { findRelay } from './relay.js';

/**
 * Begins another attempt at a failed request, for anyone who has its id. Whether it may is computed from what is stored
 * by then; of two at once, one begins it.
 *
 * @throws {LucarneError} NOT_FOUND. CONFLICT: `retry_not_allowed`. TOO_MANY_REQUESTS: `rate_limited`. UNAVAILABLE:
 *   `relayer_unavailable`, `low_balance`, `queue_at_capacity`.
 */
export async function retryRelay(
  desk: RelayDesk,
  clientAddress: string,
  relayRequestId: string,
): Promise<RelayView> {
  await count(desk, clientWindow(desk, clientAddress));
  const id = locateId('rly', relayRequestId);
  const { foundation, pools } = desk;
  const asked = await findRelay(foundation.database, id);
  if (!asked) throw notFound('relay request');
  await count(desk, poolWindow(desk, asked.poolSelector));
  if (!(await findView(foundation.database, id))?.retryAllowed) throw notAllowed();
  if (!pools.has(asked.poolSelector))
    throw unavailable('The relayer does not serve this pool at present. Try again later.', {
      reason: 'relayer_unavailable',
      retryAfterSeconds: 60,
    });
  await requireCapacity(desk);
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
  conflict('Another attempt is not allowed as the request stands.', { reason: 'retry_not_allowed' });
