import { provePage, type ProvenEntry } from './prove-page.js';
import { type LogScope, type ReadableEntry, readable, selectStored } from './select-activity.js';
import type { SignedCheckpoint } from '../sequencing/checkpoints.js';
import type { Foundation } from '../../../platform/database/index.js';
import { type Connection, connectionOf, onDemand } from '../../../platform/kernel/paging/connection.type.js';
import { type PageInput, pageOf, parsePage } from '../../../platform/kernel/paging/paging.js';
import { timeCursorsFor } from '../../../platform/kernel/paging/time-cursors.js';
import type { Principal } from '../../access/index.js';
import { type ActivityFilterInput, activityFilterParsers, describeFilters } from './activity-filters.js';
import { requireLog } from './log-access.js';

export interface ListActivityInput extends ActivityFilterInput, PageInput {
  /** The application whose entries are listed; absent for the whole organization. */
  readonly foreignId?: string | null | undefined;
}

/** Entries, and their proofs, which are read only if they are requested. */
export interface ActivityPage extends Connection<ListedEntry> {
  /** The proofs of the page lead to its root. Undefined until the log has a checkpoint. */
  readonly checkpoint: Promise<SignedCheckpoint | undefined>;
}

export interface ListedEntry extends ReadableEntry {
  /** Undefined until the entry is in the log. */
  readonly logged: Promise<ProvenEntry | undefined>;
}

/** The activity of an organization or of one of its applications, newest first. */
export async function listActivity(
  foundation: Foundation,
  principal: Principal | undefined,
  input: ListActivityInput,
): Promise<ActivityPage> {
  const { scope } = requireLog(principal, input.foreignId);
  return listActivityOf(foundation, scope, input);
}

/** The activity of a scope, without a permission check. */
export async function listActivityOf(
  foundation: Foundation,
  scope: LogScope,
  input: Omit<ListActivityInput, 'foreignId'>,
): Promise<ActivityPage> {
  const { organizationId, applicationId = null, caseId = null } = scope;
  const { cursors, limit, after, ...filters } = parsePage(
    input,
    'string',
    (filters) =>
      timeCursorsFor('log', 'activity', {
        ...{ organizationId, applicationId, scopeCaseId: caseId, ...describeFilters(filters) },
      }),
    activityFilterParsers(input),
  );
  const before = cursors.placeOf(after);
  const { database, reads } = foundation;
  const page = pageOf(await selectStored(reads, scope, filters, { before, limit: limit + 1 }), limit);
  const proofs = provePage(database, organizationId, page.rows);
  const rows = page.rows.map((row) => onDemand(readable(row), 'logged', () => proofs.proofOf(row)));
  const connection = connectionOf({ ...page, rows }, ({ createdAt, id }) =>
    cursors.encode({ at: createdAt, id }),
  );
  return onDemand(connection, 'checkpoint', () => proofs.checkpoint());
}
