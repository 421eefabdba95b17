import type { ExpressionBuilder } from 'kysely';
import {
  columnsOf,
  query,
  type Reader,
  type RowOf,
  sql,
  type Tables,
} from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import type { TimePlace } from '../../../platform/kernel/paging/time-cursors.js';
import { ActivityEntryEntity } from '../activity-log.entity.js';
import type { EventType } from '../event-types.js';
import { openPersonalValues } from '../personal-values.js';

/** A log: all entries of an organization, or only those of one of its applications or cases. */
export interface LogScope {
  readonly organizationId: Id<'org'>;
  readonly applicationId?: Id<'app'> | undefined;
  readonly caseId?: Id<'cas'> | undefined;
}

/** The logs that a caller may read: the organization's, which has every entry, or those of some applications. */
export interface ReadableLogs {
  readonly organizationId: Id<'org'>;
  readonly applicationIds?: readonly Id<'app'>[];
}

export interface ActivityFilters {
  readonly eventType?: EventType | null;
  /** Id of the actor. */
  readonly userId?: string | null;
  /** Id of the object. */
  readonly objectId?: string | null;
  readonly caseId?: Id<'cas'> | null;
  /** Earliest `createdAt`, inclusive. */
  readonly from?: Date | null;
  readonly to?: Date | null;
}

/** An entry as people read it, with the personal values that were not erased. */
export interface ReadableEntry {
  readonly id: Id<'log'>;
  /** Index in the log; null until the entry is sequenced. */
  readonly index: number | null;
  readonly eventType: EventType;
  /** Display name of the actor. Null if it was erased. */
  readonly user: string | null;
  readonly userId: string;
  readonly object: JsonObject;
  readonly details: JsonObject;
  readonly foreignId: string | null;
  readonly caseId: string | null;
  readonly createdAt: Date;
}

/** At most `limit` entries of the scope older than `before`, newest first. */
export async function selectActivity(...page: Parameters<typeof selectStored>): Promise<ReadableEntry[]> {
  return (await selectStored(...page)).map(readable);
}

/** The rows of {@link selectActivity}. */
export async function selectStored(
  reader: Reader,
  scope: LogScope,
  filters: ActivityFilters,
  { before, limit }: { readonly before: TimePlace<'log'> | undefined; readonly limit: number },
): Promise<ActivityRow[]> {
  return reader.rows(
    query
      .selectFrom('activity_entries')
      .select(COLUMNS)
      .where(inLog(scope, filters))
      .$if(before !== undefined, (entries) =>
        entries.where(sql<boolean>`(created_at, id) < (${before!.at}::timestamptz, ${before!.id})`),
      )
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit),
  );
}

/** The entry with an id or at an index, if it is in one of the logs. */
export async function selectEntry(
  reader: Reader,
  { organizationId, applicationIds }: ReadableLogs,
  place: { readonly id: Id<'log'> } | { readonly index: number },
): Promise<ActivityRow | undefined> {
  const [row] = await reader.rows(
    query
      .selectFrom('activity_entries')
      .select(COLUMNS)
      .where('organization_id', '=', organizationId)
      .where((entry) => ('id' in place ? entry('id', '=', place.id) : entry('log_index', '=', place.index)))
      .$if(applicationIds !== undefined, (entries) => entries.where('application_id', 'in', applicationIds!)),
  );
  return row;
}

/** At most `limit` sequenced entries of the scope after the index `after`, in the order of the log. */
export async function selectSequenced(
  reader: Reader,
  scope: LogScope,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<(ReadableEntry & { readonly index: number })[]> {
  const rows = await reader.rows(
    query
      .selectFrom('activity_entries')
      .select(COLUMNS)
      .where(inLog(scope))
      .where('log_index', '>', after)
      .orderBy('log_index')
      .limit(limit),
  );
  return rows.map((row) => ({ ...readable(row), index: row.logIndex! }));
}

/** The index of the newest entry of an organization's log; -1 before there is one. */
export async function newestIndex(reader: Reader, organizationId: Id<'org'>): Promise<number> {
  const [row] = await reader.rows(
    query
      .selectFrom('activity_entries')
      .select(({ fn }) => fn.max<number | null>('log_index').as('index'))
      .where('organization_id', '=', organizationId),
  );
  return row?.index ?? -1;
}

/** Whether an entry is in the scope and passes the filters. */
export const inLog =
  (scope: LogScope, filters: ActivityFilters = {}) =>
  (entries: ExpressionBuilder<Tables, 'activity_entries'>) =>
    entries.and([
      entries('organization_id', '=', scope.organizationId),
      ...(scope.applicationId === undefined ? [] : [entries('application_id', '=', scope.applicationId)]),
      ...(scope.caseId === undefined ? [] : [entries('case_id', '=', scope.caseId)]),
      ...(filters.eventType == null ? [] : [entries('event_type', '=', filters.eventType)]),
      ...(filters.userId == null ? [] : [entries('actor_id', '=', filters.userId)]),
      ...(filters.objectId == null ? [] : [entries('object_id', '=', filters.objectId)]),
      ...(filters.caseId == null ? [] : [entries('case_id', '=', filters.caseId)]),
      ...(filters.from == null ? [] : [entries('created_at', '>=', filters.from)]),
      ...(filters.to == null ? [] : [entries('created_at', '<=', filters.to)]),
    ]);

const READ = [
  ...(['id', 'logIndex', 'eventType', 'actorId'] as const),
  ...(['entry', 'salts', 'caseId', 'createdAt'] as const),
] as const;
const COLUMNS = columnsOf(ActivityEntryEntity, READ);

/** A stored entry: the hashed form, and the salts that open its personal values. */
export type ActivityRow = Pick<RowOf<typeof ActivityEntryEntity>, (typeof READ)[number]>;

/** The name of the actor. Null if it was erased. */
export function actorName({ entry, salts }: Pick<ActivityRow, 'entry' | 'salts'>): string | null {
  const { user } = openPersonalValues(entry, salts);
  return typeof user === 'string' ? user : null;
}

export function readable({ entry, salts, logIndex, actorId, ...row }: ActivityRow): ReadableEntry {
  const opened = openPersonalValues(entry, salts);
  const { user, object, details, application_foreign_id: foreignId } = opened;
  return {
    ...row,
    index: logIndex,
    userId: actorId,
    user: typeof user === 'string' ? user : null,
    object: object as JsonObject,
    details: details as JsonObject,
    foreignId: typeof foreignId === 'string' ? foreignId : null,
  };
}
