import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { holds, holdsOwner } from '../../app/places.ts';
import { useViewer, type Viewer } from '../../app/session';
import { errorOf } from '../../graphql/gateway-error';
import { pagesOf } from '../../graphql/pages';
import { request } from '../../graphql/request';
import { texts } from '../../texts.ts';
import { CASE_LOG, LOG, provenEntries, type EntryNode } from '../log/documents';
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

/** Where the entry of a report is: in the log of the organization, of an application or of a case. */
interface ReportLog {
  readonly eventType: 'log.exported' | 'report.generated';
  readonly foreignId?: string;
  /** Only entries of this case, for its auditors. */
  readonly caseId?: string;
}

/** The log that has the entry of a report, as its reader may read it; `undefined` where they may read none. */
export function logOf(
  { permissions }: Viewer,
  { application, metadata: { caseId }, reportType }: ReportNode,
): ReportLog | undefined {
  const eventType = reportType === 'activity_log' ? 'log.exported' : 'report.generated';
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

const REFUSALS: readonly string[] = ['FORBIDDEN', 'NOT_FOUND'];

export const isRefusal = (thrown: unknown): boolean => REFUSALS.includes(errorOf(thrown).code);

/** By report: its entry; `null` where the log shows none. A report whose log the viewer cannot read is missing. */
export type ReportEntries = ReadonlyMap<string, EntryNode | null>;

/** The entries of reports that have their place in the log, with one read of each log. */
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
        const found = await entriesOf(logged, log, signal).catch((thrown: unknown) => {
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
