import { notFound } from '../../../platform/kernel/errors.js';
import { parseIdOrNotFound } from '../../../platform/kernel/ids.js';
import type { Foundation } from '../../../platform/database/index.js';
import { findView, type RelayView } from './relay-view.js';

/** The current state of a request, for anyone who has its id. */
export async function findRelayRequest(
  { foundation }: { readonly foundation: Foundation },
  relayRequestId: string,
): Promise<RelayView> {
  const view = await findView(foundation.database, parseIdOrNotFound('rly', relayRequestId));
  if (!view) throw notFound('relay request');
  return view;
}
