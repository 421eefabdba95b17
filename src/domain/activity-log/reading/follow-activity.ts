import { logTopic } from '../sequencing/sequence-entries.js';
import { newestIndex, type ReadableEntry, selectSequenced } from './select-activity.js';
import { type FollowOptions, followPositions, type Foundation } from '../../../platform/database/index.js';
import { cursorsFor } from '../../../platform/kernel/paging/paging.js';
import type { Principal } from '../../access/index.js';
import { requireLog } from './log-access.js';

/** A sequenced entry, with the cursor to continue after it. */
export interface AddedActivity {
  readonly cursor: string;
  readonly entry: ReadableEntry;
}

export interface FollowActivityInput {
  /** The application whose entries are followed; absent for the whole organization. */
  readonly foreignId?: string | null | undefined;
  readonly after?: string | null | undefined;
}

/** Entries that are read at once. The server holds them for a slow reader. */
const BATCH_SIZE = 100;

/**
 * Follows a log after a cursor, or from now on, in the order of its indexes. An entry is sent once it is sequenced, so
 * that an action that commits late is neither missed nor sent twice.
 */
export async function followActivity(
  { database, signals }: Foundation,
  principal: Principal | undefined,
  input: FollowActivityInput,
  options: FollowOptions = {},
): Promise<AsyncGenerator<AddedActivity, void, undefined>> {
  const { scope } = requireLog(principal, input.foreignId);
  const { organizationId, applicationId = null } = scope;
  const cursors = cursorsFor('activityAdded', { organizationId, applicationId });
  const start =
    input.after == null
      ? await newestIndex(database, organizationId)
      : cursors.decode('number', 'after', input.after);
  return followPositions(
    signals,
    {
      topics: [logTopic(organizationId)],
      after: start,
      batch: BATCH_SIZE,
      async read(index, limit) {
        const entries = await selectSequenced(database, scope, { after: index, limit });
        return entries.map((entry) => ({
          position: entry.index,
          event: { cursor: cursors.encode(entry.index), entry },
        }));
      },
    },
    options,
  );
}
