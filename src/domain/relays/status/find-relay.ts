import { acrossOrganizations, type Foundation } from '../../../platform/database/index.js';
import { grouped } from '../../../platform/jobs/index.js';
import { notFound } from '../../../platform/kernel/errors.js';
import { type Id, parseIdOrNotFound } from '../../../platform/kernel/ids.js';
import { selectViews, type RelayView } from './relay-view.js';

/**
 * Reads the current states of requests, one group at a time: anyone who has an id can ask as often as they want, and however many
 * ask, they use one connection.
 */
export type NewestViews = (id: Id<'rly'>) => Promise<RelayView | undefined>;

export function createNewestViews({ database }: Pick<Foundation, 'database'>): NewestViews {
  return grouped((ids) =>
    acrossOrganizations(async () => {
      const asked = [...new Set(ids)].map((id) => ({ id, after: 0 }));
      const views = await selectViews(database, asked, 1);
      const found = new Map(views.map((view) => [view.relayRequestId, view]));
      return ids.map((id) => found.get(id));
    }),
  );
}

/** The current state of a request, for anyone who has its id. */
export async function findRelayRequest(
  { newestViews }: { readonly newestViews: NewestViews },
  relayRequestId: string,
): Promise<RelayView> {
  const view = await newestViews(parseIdOrNotFound('rly', relayRequestId));
  if (!view) throw notFound('relay request');
  return view;
}
