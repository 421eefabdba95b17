import type { Foundation } from '../../../platform/database/index.js';
import { invalidMember, notFound } from '../../../platform/kernel/errors.js';
import { parseIdOrNotFound } from '../../../platform/kernel/ids.js';
import { onDemand } from '../../../platform/kernel/paging/connection.type.js';
import type { Principal } from '../../access/index.js';
import type { ListedEntry } from './list-activity.js';
import { requireReadableLogs } from './log-access.js';
import { provePage } from './prove-page.js';
import { readable, selectEntry } from './select-activity.js';

interface FindEntryInput {
  readonly id?: string | null | undefined;
  readonly index?: number | null | undefined;
}

/** The entry with an id or at an index, if the caller reads a log that has it; otherwise `NOT_FOUND`. */
export async function findEntry(
  { database }: Foundation,
  principal: Principal | undefined,
  { id, index }: FindEntryInput,
): Promise<ListedEntry> {
  const logs = requireReadableLogs(principal);
  if ((id == null) === (index == null)) throw invalidMember('id', 'or index must be given, but not both');
  const place = id == null ? { index: index! } : { id: parseIdOrNotFound('log', id) };
  const row = await selectEntry(database, logs, place);
  if (!row) throw notFound('activity log entry');
  const proofs = provePage(database, logs.organizationId, [row]);
  return onDemand(readable(row), 'logged', () => proofs.proofOf(row));
}
