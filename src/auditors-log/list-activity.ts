import { selectActivity, type LogScope, type ReadableEntry } from '../activity-log/index.js';
import type { Foundation } from '../database/index.js';
import { connectionOf, type Connection } from '../kernel/connection.type.js';
import { cursorsFor, pageOf, parseLimit } from '../kernel/paging.js';
import type { Principal } from '../organizations/index.js';
import { describeFilters, parseActivityFilters, type ActivityFilterInput } from './activity-filters.js';
import { requireLog } from './log-access.js';

export interface ListActivityInput extends ActivityFilterInput {
  /** The foreignId of the application whose entries are asked for; the whole organization's when absent. */
  readonly application?: string | null | undefined;
  /** 1 to 200; 50 when absent. */
  readonly first?: number | null | undefined;
  /** The cursor to go on behind. */
  readonly after?: string | null | undefined;
}

/** The activity of an organization or of one of its applications, newest first. */
export async function listActivity(
  foundation: Foundation,
  principal: Principal | undefined,
  input: ListActivityInput,
): Promise<Connection<ReadableEntry>> {
  const { scope } = requireLog(principal, input.application);
  return listActivityOf(foundation, scope, input);
}

/** The activity of a scope that the caller was found to be allowed to see. */
export async function listActivityOf(
  foundation: Foundation,
  scope: LogScope,
  input: Omit<ListActivityInput, 'application'>,
): Promise<Connection<ReadableEntry>> {
  const filters = parseActivityFilters(input);
  const limit = parseLimit('first', input.first);
  const { organizationId, applicationId = null, caseId = null } = scope;
  const cursors = cursorsFor('activity', {
    ...{ organizationId, applicationId, scopeCaseId: caseId, ...describeFilters(filters) },
  });
  const before = input.after == null ? undefined : cursors.decode('number', 'after', input.after);
  const rows = await selectActivity(foundation.database, scope, filters, { before, limit: limit + 1 });
  return connectionOf(pageOf(rows, limit), ({ sequence }) => cursors.encode(sequence));
}
