import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { client } from '../../app/client';
import { holds, holdsOwner } from '../../app/places.ts';
import { useViewer, type Viewer } from '../../app/session';
import { errorOf } from '../../graphql/gateway-error';
import { pagesOf } from '../../graphql/pages';
import { request } from '../../graphql/request';
import { texts } from '../../texts.ts';
import {
  CASE_LOG,
  LOG,
  ONE_ENTRY,
  provenEntries,
  provenEntry,
  type EntryNode,
  type OneEntry,
} from '../log/documents';
import type { ReportNode } from './documents';

const words = texts(
  {
    unread: 'You cannot read the entry of the activity log that holds the hash of this report.',
    missing: 'The gateway returned no activity log entry for this report.',
  },
  {
    fr: {
      unread: 'Vous ne pouvez pas lire l’entrée du journal d’activité qui garde l’empreinte de ce rapport.',
      missing: 'La passerelle n’a donné aucune entrée du journal d’activité pour ce rapport.',
    },
  },
);

/** Why a report has no entry to check. */
export const NO_ENTRY = words;

/** The type of the entry that records a report. */
export const eventTypeOf = ({ reportType }: ReportNode) =>
  reportType === 'activity_log' ? 'log.exported' : 'report.generated';

/** Where the entry of a report is: in the log of the organization, of an application or of a case. */
interface ReportLog {
  readonly eventType: ReturnType<typeof eventTypeOf>;
  readonly foreignId?: string;
  /** Only entries of this case, for its auditors. */
  readonly caseId?: string;
}

/** The log that has the entry of a report, as its reader may read it; `undefined` where they may read none. */
export function logOf({ permissions }: Viewer, report: ReportNode): ReportLog | undefined {
  const { application, metadata } = report;
  const { caseId } = metadata;
  const eventType = eventTypeOf(report);
  if (holdsOwner(permissions, 'logs:view_activity')) return { eventType };
  const foreignId = application?.foreignId;
  if (foreignId === undefined) return undefined;
  if (holds(permissions, foreignId, 'common', 'logs:view_activity')) return { eventType, foreignId };
  return caseId !== null && holds(permissions, foreignId, 'auditor', 'reports:view_transactions')
    ? { eventType, foreignId, caseId }
    : undefined;
}

async function readPage(
  { caseId, foreignId, eventType }: ReportLog,
  page: { readonly objectId: string | null; readonly after: string | null },
  signal: AbortSignal,
) {
  if (caseId === undefined || foreignId === undefined) {
    const scope = foreignId === undefined ? {} : { foreignId };
    return provenEntries((await request(LOG, { ...scope, eventType, ...page }, signal)).activityLog);
  }
  const { after } = page;
  return provenEntries(
    (await request(CASE_LOG, { foreignId, caseId, eventType, after }, signal)).caseActivityLog,
  );
}

/** The entries under which reports were logged, by the ids of the reports: read back to the entry of the oldest one. */
export async function entriesOf(
  reports: readonly ReportNode[],
  log: ReportLog,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, EntryNode>> {
  const found = new Map<string, EntryNode>();
  const wanted = new Set(reports.map(({ id }) => id));
  const oldest = Math.min(...reports.map(({ metadata }) => metadata.logIndex ?? 0));
  const objectId = reports.length === 1 ? reports[0]!.id : null;
  for await (const entries of pagesOf((after) => readPage(log, { objectId, after }, signal))) {
    for (const entry of entries) {
      const { report_id: id } = entry.object as Readonly<Record<string, unknown>>;
      // A download is logged with a hash, too: of what was stored by then.
      if (entry.eventType === log.eventType && typeof id === 'string' && wanted.has(id)) found.set(id, entry);
    }
    if (found.size === wanted.size || entries.some(({ index }) => index !== null && index < oldest)) break;
  }
  return found;
}

/** The entry at an index, which never changes; `null` where the gateway has none. */
const entryAt = (index: number): Promise<EntryNode | null> =>
  client
    .fetchQuery({
      queryKey: ['reportEntryAt', index],
      queryFn: async ({ signal }) => (await request(ONE_ENTRY, { index }, signal)).activityEntry,
      staleTime: Number.POSITIVE_INFINITY,
    })
    .then(
      // A gateway that lies returns none, and no error.
      (entry: OneEntry | null) => entry && provenEntry(entry),
      (thrown: unknown) => {
        if (errorOf(thrown).code === 'NOT_FOUND') return null;
        throw thrown;
      },
    );

/**
 * The entries of listed reports that have their place in the log, by the ids of the reports. Reports can be far apart in a log
 * that is long, so each entry is read at its index. The log of a case has few others of this type, and cannot be read so.
 */
async function placedEntries(
  reports: readonly ReportNode[],
  log: ReportLog,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, EntryNode | null>> {
  if (log.caseId !== undefined) return entriesOf(reports, log, signal);
  const entries = reports.map(
    async ({ id, metadata }) => [id, await entryAt(metadata.logIndex ?? 0)] as const,
  );
  return new Map(await Promise.all(entries));
}

const REFUSALS: readonly string[] = ['FORBIDDEN', 'NOT_FOUND'];

export const isRefusal = (thrown: unknown): boolean => REFUSALS.includes(errorOf(thrown).code);

/** By report: its entry; `null` where the log shows none. A report whose log the viewer cannot read is missing. */
export type ReportEntries = ReadonlyMap<string, EntryNode | null>;

/** The entries of reports that have their place in the log. */
export function useReportEntries(reports: readonly ReportNode[]): UseQueryResult<ReportEntries> {
  const viewer = useViewer();
  const placed = reports.filter(({ metadata }) => metadata.logIndex !== null);
  return useQuery({
    queryKey: ['reportEntries', placed.map(({ id }) => id)],
    queryFn: async ({ signal }) => {
      const entries = new Map<string, EntryNode | null>();
      const logs = Map.groupBy(placed, (report) => JSON.stringify(logOf(viewer, report)));
      const reads = [...logs.values()].map(async (logged) => {
        const log = logOf(viewer, logged[0]!);
        if (!log) return;
        const found = await placedEntries(logged, log, signal).catch((thrown: unknown) => {
          if (isRefusal(thrown)) return undefined;
          throw thrown;
        });
        if (found) for (const { id } of logged) entries.set(id, found.get(id) ?? null);
      });
      await Promise.all(reads);
      return entries;
    },
    enabled: placed.length > 0,
    placeholderData: keepPreviousData,
  });
}
