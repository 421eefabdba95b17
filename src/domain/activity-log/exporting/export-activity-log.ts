import type { ExportedEntry } from '../reading/exported-entry.js';
import { countLoggedEntries, exportEntries, exportHeader, type ExportHeader } from './export-log.js';
import { newestCheckpoint, type SignedCheckpoint } from '../sequencing/checkpoints.js';
import { type ExportPart, type ExportPartInput, readExportPart } from './export-parts.js';
import { type Activity, recordActivity } from '../record-activity.js';
import type { ActivityFilters, LogScope } from '../reading/select-activity.js';
import type { Foundation } from '../../../platform/database/index.js';
import { Lanes } from '../../../platform/jobs/index.js';
import { invalidMember } from '../../../platform/kernel/errors.js';
import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import {
  actorOf,
  findApplicationById,
  type Principal,
  type RequestContext,
  requireUnchanged,
  type UserPrincipal,
} from '../../access/index.js';
import {
  type ActivityFilterInput,
  describeFilters,
  parseActivityFilters,
} from '../reading/activity-filters.js';
import { requireLog, requireLogStill } from '../reading/log-access.js';
import { valuesIn } from '../../../platform/kernel/paging/page-weight.js';

/** An export in the format that `lucarne log verify` reads. */
export interface LogExport extends ExportHeader {
  readonly entries: readonly ExportedEntry[];
}

/** Maximum number of entries of one answer. */
export const MAX_EXPORTED_ENTRIES = 10_000;
/** Maximum number of values in them. Entries that each name a thousand assets would make an answer of hundreds of MiB. */
const MAX_EXPORTED_VALUES = 800_000;

/** The log and its entries to export. */
export interface ExportInput extends ActivityFilterInput {
  readonly foreignId?: string | null | undefined;
}

/** The caller of an export. */
type ExportCaller = Pick<RequestContext, 'principal' | 'callerNow'>;

/** Exports logs. The exports of one organization take turns, so that they do not delay the requests of others. */
export class LogExporter {
  readonly #turns = new Lanes(() => 1);

  constructor(private readonly foundation: Foundation) {}

  /** {@link exportActivityLog}, in turn. */
  export(caller: ExportCaller, input: ExportInput): Promise<LogExport> {
    return this.#inTurn(caller, input, () => exportActivityLog(this.foundation, caller.principal, input));
  }

  /** {@link readExportPart}, in turn. */
  part(caller: ExportCaller, input: ExportPartInput): Promise<ExportPart> {
    return this.#inTurn(caller, input, () => readExportPart(this.foundation, caller.principal, input));
  }

  async #inTurn<Result>(
    caller: ExportCaller,
    { foreignId }: ExportInput,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const { scope } = requireLog(caller.principal, foreignId);
    return this.#turns.run(scope.organizationId, async () => {
      // The caller may have waited for other exports.
      await requireUnchanged(caller);
      return work();
    });
  }
}

/** Exports the log of the organization, or of one application, with its proofs. The export is logged itself. */
export async function exportActivityLog(
  foundation: Foundation,
  principal: Principal | undefined,
  input: ExportInput,
): Promise<LogExport> {
  const { user, scope } = requireLog(principal, input.foreignId);
  const filters = parseActivityFilters(input);
  const { database } = foundation;
  const checkpoint = await newestCheckpoint(database, scope.organizationId);
  const count = await countLoggedEntries(database, checkpoint, scope, filters, MAX_EXPORTED_ENTRIES + 1);
  if (count > MAX_EXPORTED_ENTRIES)
    throw invalidMember('from', `and to must narrow the export to at most ${MAX_EXPORTED_ENTRIES} entries`);

  const entries: ExportedEntry[] = [];
  let values = 0;
  for await (const page of exportEntries(database, checkpoint, scope, filters)) {
    values += valuesIn(page);
    if (values > MAX_EXPORTED_VALUES)
      throw invalidMember('from', 'and to must narrow the export: its entries are too large');
    entries.push(...page);
  }
  await recordExport(foundation, { user, scope, filters, checkpoint, entries: entries.length });
  return { ...(await exportHeader(database, scope.organizationId, checkpoint)), entries };
}

/** Logs that a user exports a log as JSON. `entries` is null if their number is not known. */
export async function recordExport(
  { database, clock }: Foundation,
  { user, scope, filters, checkpoint, entries }: RecordedExport,
): Promise<void> {
  await database.transaction(async (transaction) => {
    const { organizationId, applicationId = null } = scope;
    await requireLogStill(transaction, user, scope);
    await recordActivity(transaction, {
      ...logExported(scope, checkpoint, 'json', entries, describeFilters(filters)),
      organizationId,
      actor: actorOf(user),
      application: await findApplicationById(transaction, organizationId, applicationId),
      at: clock.now(),
    });
  });
}

interface RecordedExport {
  readonly user: UserPrincipal;
  readonly scope: LogScope;
  readonly filters: Required<ActivityFilters>;
  readonly checkpoint: SignedCheckpoint;
  readonly entries: number | null;
}

/** The log entry for an export of the log, in any format. */
export function logExported(
  { applicationId, caseId }: LogScope,
  { size }: SignedCheckpoint,
  format: string,
  entries: number | null,
  more: JsonObject,
) {
  const scope = caseId !== undefined ? 'case' : applicationId !== undefined ? 'application' : 'organization';
  return {
    eventType: 'log.exported',
    object: { type: 'activity_log', scope },
    details: { format, entries, log_size: size, ...more },
  } as const satisfies Partial<Activity>;
}
