import { all, sql, type Reader } from '../database/index.js';
import type { Id } from '../kernel/ids.js';
import type { JsonObject } from '../kernel/json.js';
import type { EventType } from './event-types.js';
import { openPersonalValues, type Salts } from './personal-values.js';

/** Whose entries: the organization's, or those of one application or case of it. */
export interface LogScope {
  readonly organizationId: Id<'org'>;
  readonly applicationId?: Id<'app'> | undefined;
  readonly caseId?: Id<'cas'> | undefined;
}

export interface ActivityFilters {
  readonly eventType?: EventType | null;
  /** Id of who acted. */
  readonly userId?: string | null;
  readonly caseId?: Id<'cas'> | null;
  /** Of `createdAt`, inclusive. */
  readonly from?: Date | null;
  readonly to?: Date | null;
}

/** An entry as people read it: personal values opened where they were not erased. */
export interface ReadableEntry {
  readonly id: Id<'log'>;
  /** Where it was written; unlike `index` it is there at once, and says nothing about the log. */
  readonly sequence: number;
  /** Its index in the log; null for the moment until it is sequenced. */
  readonly index: number | null;
  readonly eventType: EventType;
  /** Display name of who acted; null when it was erased. */
  readonly user: string | null;
  readonly userId: string;
  readonly object: JsonObject;
  readonly details: JsonObject;
  readonly applicationForeignId: string | null;
  readonly caseId: string | null;
  readonly createdAt: Date;
}

/** At most `limit` entries of the scope written before `before`, newest first. */
export async function selectActivity(
  reader: Reader,
  scope: LogScope,
  filters: ActivityFilters,
  { before, limit }: { readonly before: number | undefined; readonly limit: number },
): Promise<ReadableEntry[]> {
  const rows = await reader.rows(sql<ActivityRow>`
    select ${ACTIVITY_COLUMNS} from activity_entries
    where ${activityConditions(scope, filters)} and ${before === undefined ? sql`true` : sql`sequence < ${before}`}
    order by sequence desc limit ${limit}`);
  return rows.map(readable);
}

/** At most `limit` sequenced entries of the scope behind the index `behind`, in the order of the log. */
export async function selectSequenced(
  reader: Reader,
  scope: LogScope,
  { behind, limit }: { readonly behind: number; readonly limit: number },
): Promise<(ReadableEntry & { readonly index: number })[]> {
  const rows = await reader.rows(sql<ActivityRow & { readonly index: number }>`
    select ${ACTIVITY_COLUMNS} from activity_entries
    where ${activityConditions(scope, {})} and log_index > ${behind}
    order by log_index limit ${limit}`);
  return rows.map((row) => ({ ...readable(row), index: row.index }));
}

/** The index of the newest entry of an organization's log; -1 before there is one. */
export async function newestIndex(reader: Reader, organizationId: Id<'org'>): Promise<number> {
  const [row] = await reader.rows(sql<{ index: number }>`
    select coalesce(max(log_index), -1) as "index" from activity_entries
    where organization_id = ${organizationId}`);
  return row?.index ?? -1;
}

const ACTIVITY_COLUMNS = sql`
  id, sequence, log_index as "index", event_type as "eventType", actor_id as "userId", entry, salts,
  case_id as "caseId", created_at as "createdAt"`;

/** The scope and the filters as a condition on `activity_entries`. */
export function activityConditions(scope: LogScope, filters: ActivityFilters) {
  return all([
    sql`organization_id = ${scope.organizationId}`,
    scope.applicationId === undefined ? undefined : sql`application_id = ${scope.applicationId}`,
    scope.caseId === undefined ? undefined : sql`case_id = ${scope.caseId}`,
    filters.eventType == null ? undefined : sql`event_type = ${filters.eventType}`,
    filters.userId == null ? undefined : sql`actor_id = ${filters.userId}`,
    filters.caseId == null ? undefined : sql`case_id = ${filters.caseId}`,
    filters.from == null ? undefined : sql`created_at >= ${filters.from}`,
    filters.to == null ? undefined : sql`created_at <= ${filters.to}`,
  ]);
}

type ActivityRow = Pick<ReadableEntry, 'id' | 'sequence' | 'index' | 'eventType' | 'userId' | 'createdAt'> & {
  readonly entry: JsonObject;
  readonly salts: Salts;
  readonly caseId: string | null;
};

function readable({ entry, salts, ...row }: ActivityRow): ReadableEntry {
  const opened = openPersonalValues(entry, salts);
  const { user, object, details, application_foreign_id: foreignId } = opened;
  return {
    ...row,
    user: typeof user === 'string' ? user : null,
    object: object as JsonObject,
    details: details as JsonObject,
    applicationForeignId: typeof foreignId === 'string' ? foreignId : null,
  };
}
