import { notFound } from '../kernel/errors.js';
import { locateId } from '../kernel/ids.js';
import type { RelayDesk } from './relay-desk.js';
import { findView, type RelayView } from './relay-view.js';

/** How a request stands, for anyone who has its id. */
export async function findRelayRequest(
  { foundation }: Pick<RelayDesk, 'foundation'>,
  relayRequestId: string,
): Promise<RelayView> {
  const view = await findView(foundation.database, locateId('rly', relayRequestId));
  if (!view) throw notFound('relay request');
  return view;
}
