import type { InsertObject } from 'kysely';
import { query, type Tables } from '../../../platform/database/index.js';

/** Inserts a change into the history of a request, alone or as a part of a larger statement. */
export const insertRelayEvent = (
  event: Omit<InsertObject<Tables, 'relay_events'>, 'evidence'> & { readonly evidence: unknown },
) => query.insertInto('relay_events').values(event as InsertObject<Tables, 'relay_events'>);
