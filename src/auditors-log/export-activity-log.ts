import {
  countLoggedEntries,
  exportEntries,
  exportHeader,
  newestCheckpoint,
  recordActivity,
  type Activity,
  type ExportedEntry,
  type LogScope,
  type SignedCheckpoint,
} from '../activity-log/index.js';
import type { Foundation } from '../database/index.js';
import { badUserInput } from '../kernel/errors.js';
import type { JsonObject } from '../kernel/json.js';
import { actorOf, findApplicationById, type Principal } from '../organizations/index.js';
import { describeFilters, parseActivityFilters, type ActivityFilterInput } from './activity-filters.js';
import { requireLog } from './log-access.js';

/** What `lucarne log verify` reads. */
export interface LogExport {
  readonly origin: string;
  readonly verifier_key: string;
  readonly checkpoint: string;
  readonly entries: readonly ExportedEntry[];
}

/** Entries in one answer. */
export const LARGEST_EXPORT = 10_000;

/** Exports the log of the organization, or of one application, with everything that proves it; and logs that it did. */
export async function exportActivityLog(
  foundation: Foundation,
  principal: Principal | undefined,
  input: ActivityFilterInput & { readonly application?: string | null | undefined },
): Promise<LogExport> {
  const { user, scope } = requireLog(principal, input.application);
  const filters = parseActivityFilters(input);
  const { database } = foundation;
  const checkpoint = await newestCheckpoint(database, scope.organizationId);
  const count = await countLoggedEntries(database, checkpoint, scope, filters, LARGEST_EXPORT + 1);
  if (count > LARGEST_EXPORT)
    throw badUserInput(`An export holds at most ${LARGEST_EXPORT} entries: narrow it with from and to.`);

  const entries: ExportedEntry[] = [];
  for await (const page of exportEntries(database, checkpoint, scope, filters)) entries.push(...page);
  await database.transaction(async (transaction) => {
    const { organizationId, applicationId = null } = scope;
    await recordActivity(transaction, {
      ...logExported(scope, checkpoint, 'json', entries.length, describeFilters(filters)),
      organizationId,
      actor: actorOf(user),
      application: await findApplicationById(transaction, organizationId, applicationId),
      at: foundation.clock.now(),
    });
  });
  return { ...exportHeader(checkpoint), entries };
}

/** What the log says of an export of itself, whichever way it was made. */
export function logExported(
  { applicationId, caseId }: LogScope,
  { size }: SignedCheckpoint,
  format: string,
  entries: number,
  more: JsonObject,
) {
  const scope = caseId !== undefined ? 'case' : applicationId !== undefined ? 'application' : 'organization';
  return {
    eventType: 'log.exported',
    object: { type: 'activity_log', scope },
    details: { format, entries, log_size: size, ...more },
  } as const satisfies Partial<Activity>;
}
