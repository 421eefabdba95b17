import type { Foundation } from '../../../platform/database/index.js';
import type { Principal } from '../../access/index.js';
import { parseActivityFilters } from '../reading/activity-filters.js';
import { requireLog } from '../reading/log-access.js';
import { newestCheckpoint, type SignedCheckpoint } from '../sequencing/checkpoints.js';
import { type ExportInput, recordExport } from './export-activity-log.js';
import { exportCursors } from './export-parts.js';

/** An export of a log of any length. */
export interface StartedExport {
  /** The export has the entries that this checkpoint covers, if they are in the scope and pass the filters. */
  readonly checkpoint: SignedCheckpoint;
  /** The cursor of the first part. */
  readonly cursor: string;
}

/** Starts an export that is read in parts, under the newest checkpoint. The export is logged once. */
export async function startLogExport(
  foundation: Foundation,
  principal: Principal | undefined,
  input: ExportInput,
): Promise<StartedExport> {
  const { user, scope } = requireLog(principal, input.foreignId);
  const filters = parseActivityFilters(input);
  const checkpoint = await newestCheckpoint(foundation.database, scope.organizationId);
  const { size } = checkpoint;
  const isWhole =
    scope.applicationId === undefined && Object.values(filters).every((filter) => filter === null);
  await recordExport(foundation, { user, scope, filters, checkpoint, entries: isWhole ? size : null });
  const cursors = exportCursors(foundation, user, scope, filters);
  const position = { size, covered: 0, hasEntries: false, startedAt: foundation.clock.now() };
  return { checkpoint, cursor: cursors.encode(position) };
}
