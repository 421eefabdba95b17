import { logTopic, newestIndex, selectSequenced, type ReadableEntry } from '../activity-log/index.js';
import { followPositions, type FollowOptions, type Foundation } from '../database/index.js';
import { cursorsFor } from '../kernel/paging.js';
import type { Principal } from '../organizations/index.js';
import { requireLog } from './log-access.js';

/** An entry as it was sequenced, with the cursor to go on behind it. */
export interface AddedActivity {
  readonly cursor: string;
  readonly entry: ReadableEntry;
}

export interface FollowActivityInput {
  /** The foreignId of an application; the whole organization's log when absent. */
  readonly application?: string | null | undefined;
  readonly after?: string | null | undefined;
}

/** Entries read at once: what a slow reader makes the server hold. */
const BATCH = 100;

/**
 * Follows a log behind a cursor, or from now on, in the order of its indexes: an entry comes once it has its place in
 * the log, so that one whose action commits late is neither passed over nor told twice.
 */
export async function followActivity(
  { database, signals }: Foundation,
  principal: Principal | undefined,
  input: FollowActivityInput,
  options: FollowOptions = {},
): Promise<AsyncGenerator<AddedActivity, void, undefined>> {
  const { scope } = requireLog(principal, input.application);
  const { organizationId, applicationId = null } = scope;
  const cursors = cursorsFor('activityAdded', { organizationId, applicationId });
  const behind =
    input.after == null
      ? await newestIndex(database, organizationId)
      : cursors.decode('number', 'after', input.after);
  return followPositions(
    signals,
    {
      topic: logTopic(organizationId),
      behind,
      batch: BATCH,
      async read(index, limit) {
        const entries = await selectSequenced(database, scope, { behind: index, limit });
        return entries.map((entry) => ({
          position: entry.index,
          event: { cursor: cursors.encode(entry.index), entry },
        }));
      },
    },
    options,
  );
}
