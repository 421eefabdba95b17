import { valuesIn } from '../../../platform/kernel/paging/page-weight.js';
import { cursorsFor } from '../../../platform/kernel/paging/paging.js';
import { invalidMember } from '../../../platform/kernel/errors.js';
import type { Foundation } from '../../../platform/database/index.js';
import type { Principal, UserPrincipal } from '../../access/index.js';
import {
  type ActivityFilterInput,
  describeFilters,
  parseActivityFilters,
} from '../reading/activity-filters.js';
import { requireLog } from '../reading/log-access.js';
import type { ActivityFilters, LogScope } from '../reading/select-activity.js';
import { findCheckpoint } from '../sequencing/checkpoints.js';
import { entriesText, exportEntries, exportHeader, FILE_END, headerText } from './export-log.js';

/** A request for one part of an export. */
export interface ExportPartInput extends ActivityFilterInput {
  readonly foreignId?: string | null | undefined;
  readonly after: string;
}

/** A piece of an export file. The pieces of all parts, in order, are the file. */
export interface ExportPart {
  readonly text: string;
  readonly entries: number;
  /** The number of log entries that this part and the parts before it covered. */
  readonly covered: number;
  /** Null after the last part. */
  readonly nextCursor: string | null;
}

/** A part ends after the page of entries that reaches one of these numbers. They limit the memory of a part. */
const MAX_PART_ENTRIES = 1_000;
const MAX_PART_VALUES = 50_000;
/** Maximum number of log entries that a part covers, also if the filters select few of them. It limits the time of a part. */
const MAX_PART_COVERED = 10_000;
/** How long an export can be read. After that, a new export must be started, which is logged again. */
const MAX_EXPORT_DURATION_MS = 86_400_000;

/** Where in an export a part begins. */
export interface ExportPosition {
  /** The size of the checkpoint. */
  readonly size: number;
  /** The number of log entries that earlier parts covered. */
  readonly covered: number;
  /** Whether the filters selected one of them. */
  readonly hasEntries: boolean;
  readonly startedAt: Date;
}

/** Cursors of one user's export. They are sealed: the only way to get one is to start an export, which is logged. */
export function exportCursors(
  { sealer }: Pick<Foundation, 'sealer'>,
  { userId }: Pick<UserPrincipal, 'userId'>,
  { organizationId, applicationId }: LogScope,
  filters: Required<ActivityFilters>,
) {
  const application = applicationId ?? null;
  const bound = { organizationId, application, userId, ...describeFilters(filters) };
  const cursors = cursorsFor('logExport', bound, sealer);
  return {
    encode: ({ size, covered, hasEntries, startedAt }: ExportPosition) =>
      cursors.encode([size, covered, Number(hasEntries), startedAt.getTime()].join('/')),
    decode(cursor: string): ExportPosition {
      const [size = 0, covered = 0, hasEntries, startedAt = 0] = cursors
        .decode('string', 'after', cursor)
        .split('/')
        .map(Number);
      return { size, covered, hasEntries: hasEntries === 1, startedAt: new Date(startedAt) };
    },
  };
}

/** The part of an export at a cursor. The export itself was logged when it was started. */
export async function readExportPart(
  foundation: Foundation,
  principal: Principal | undefined,
  input: ExportPartInput,
): Promise<ExportPart> {
  const { user, scope } = requireLog(principal, input.foreignId);
  const filters = parseActivityFilters(input);
  const cursors = exportCursors(foundation, user, scope, filters);
  const position = cursors.decode(input.after);
  if (foundation.clock.now().getTime() - position.startedAt.getTime() > MAX_EXPORT_DURATION_MS)
    throw invalidMember(
      'after',
      'belongs to an export that was started more than 24 hours ago. Start another',
    );
  // Read from the primary, so that replicas have everything that the checkpoint covers.
  const checkpoint = await findCheckpoint(foundation.database, scope.organizationId, position.size);
  if (!checkpoint) throw invalidMember('after', 'is not a cursor of this log');

  const { reads: reader } = foundation;
  const { size } = checkpoint;
  const { covered: begin } = position;
  const pieces: string[] = [];
  if (begin === 0) pieces.push(headerText(await exportHeader(reader, scope.organizationId, checkpoint)));
  let [entries, values] = [0, 0];
  let { hasEntries } = position;
  let covered = Math.min(begin + MAX_PART_COVERED, size);
  for await (const page of exportEntries(reader, checkpoint, scope, filters, { begin, end: covered })) {
    pieces.push(entriesText(page, !hasEntries));
    hasEntries = true;
    entries += page.length;
    values += valuesIn(page);
    if (entries < MAX_PART_ENTRIES && values < MAX_PART_VALUES) continue;
    covered = page.at(-1)!.index + 1;
    break;
  }
  const isLast = covered === size;
  if (isLast) pieces.push(FILE_END);
  const nextCursor = isLast ? null : cursors.encode({ ...position, covered, hasEntries });
  return { text: pieces.join(''), entries, covered, nextCursor };
}
