import { useQuery } from '@tanstack/react-query';
import { holds, holdsOwner } from '../../app/places.ts';
import { useViewer, type Viewer } from '../../app/session';
import { Failure, Loading } from '../../design/states';
import { pagesOf } from '../../graphql/pages';
import { errorOf } from '../../graphql/gateway-error';
import { request } from '../../graphql/request';
import { texts } from '../../texts.ts';
import type { MarkState } from '../../verification/marks';
import { CASE_LOG, LOG, provenEntries, type EntryNode } from '../log/documents';
import { EntryMark, useEntryState } from '../log/entry-mark';
import { FileCheck } from '../verify/verify-file';
import type { ReportNode } from './documents';

const words = texts(
  {
    rests: 'The file must have the hash that this entry of the activity log holds:',
    unread: 'You cannot read the entry of the activity log that holds the hash of this report.',
    missing: 'The gateway returned no activity log entry for this report.',
    word: 'That a file is this report is the gateway’s word alone.',
  },
  {
    fr: {
      rests: 'Le fichier doit avoir l’empreinte que garde cette entrée du journal d’activité :',
      unread: 'Vous ne pouvez pas lire l’entrée du journal d’activité qui garde l’empreinte de ce rapport.',
      missing: 'La passerelle n’a donné aucune entrée du journal d’activité pour ce rapport.',
      word: 'Qu’un fichier soit ce rapport, seule la passerelle l’affirme.',
    },
  },
);

/** The log that has the entry of a report, as its reader may read it; `undefined` where they may read none. */
function logOf({ permissions }: Viewer, { id, application, metadata: { caseId }, reportType }: ReportNode) {
  const eventType = reportType === 'activity_log' ? 'log.exported' : 'report.generated';
  const foreignId = application?.foreignId;
  const mayReadApplication =
    foreignId !== undefined && holds(permissions, foreignId, 'common', 'logs:view_activity');
  if (mayReadApplication || holdsOwner(permissions, 'logs:view_activity')) {
    const read = async (after: string | null, signal: AbortSignal) => {
      const scope = mayReadApplication ? { foreignId } : {};
      const { activityLog } = await request(LOG, { ...scope, eventType, objectId: id, after }, signal);
      return provenEntries(activityLog);
    };
    return { eventType, read };
  }
  if (
    foreignId === undefined ||
    caseId === null ||
    !holds(permissions, foreignId, 'auditor', 'reports:view_transactions')
  )
    return undefined;
  const read = async (after: string | null, signal: AbortSignal) => {
    const { caseActivityLog } = await request(CASE_LOG, { foreignId, caseId, eventType, after }, signal);
    return provenEntries(caseActivityLog);
  };
  return { eventType, read };
}

/** The entry under which a report was logged; `null` where the log shows none. */
async function entryOf(
  { id }: ReportNode,
  log: NonNullable<ReturnType<typeof logOf>>,
  signal: AbortSignal,
): Promise<EntryNode | null> {
  for await (const nodes of pagesOf((after) => log.read(after, signal))) {
    const found = nodes.find(
      // A download is logged with a hash, too: of what was stored by then.
      ({ eventType, object }) =>
        eventType === log.eventType && (object as Readonly<Record<string, unknown>>)['report_id'] === id,
    );
    if (found) return found;
  }
  return null;
}

/** How often an entry is asked for again that waits for its place in the log: it gets one within seconds. */
const DEFAULT_WAIT_MS = 1_000;
/** One that waits longer is not asked for again: a page that is left open lets its session end. */
const MAX_LOOKS = 30;
const REFUSALS: readonly string[] = ['FORBIDDEN', 'NOT_FOUND'];

/** Compares a file with what the log holds of a report, or, where that cannot be read, with what the gateway says. */
export function ReportCheck({ report }: { readonly report: ReportNode }) {
  const log = logOf(useViewer(), report);
  const { data, error, isLoading, refetch } = useQuery({
    queryKey: ['reportEntry', report.id],
    queryFn: ({ signal }) => entryOf(report, log!, signal),
    enabled: log !== undefined,
    refetchInterval: ({ state }) =>
      state.status === 'success' && state.data?.index === null && state.dataUpdateCount < MAX_LOOKS
        ? DEFAULT_WAIT_MS
        : false,
  });
  if (isLoading) return <Loading lines={2} />;
  if (data) return <AgainstEntry report={report} entry={data} />;
  if (error && !REFUSALS.includes(errorOf(error).code))
    return <Failure error={errorOf(error)} onAgain={() => void refetch()} />;
  return <AgainstWord report={report} because={data === null && !error ? words.missing : words.unread} />;
}

function AgainstEntry({ report, entry }: { readonly report: ReportNode; readonly entry: EntryNode }) {
  const state = useEntryState(entry);
  const saltedSha256 = String((entry.details as Readonly<Record<string, unknown>>)['salted_sha256']);
  /** A file is the logged one only where its entry is proven to be logged. */
  const judge = (file: MarkState): MarkState => {
    if (state.kind !== 'verdict' || !state.verdict.holds) return state;
    if (file.kind !== 'verdict') return file;
    const findings = [...file.verdict.findings, ...state.verdict.findings];
    return { kind: 'verdict', verdict: { ...file.verdict, findings } };
  };
  return (
    <>
      <p>
        {words.rests} <EntryMark entry={entry} />
      </p>
      <FileCheck against={{ logged: { saltedSha256, salt: report.metadata.salt ?? '' } }} judge={judge} />
    </>
  );
}

function AgainstWord({ report, because }: { readonly report: ReportNode; readonly because: string }) {
  const explanation = `${because} ${words.word}`;
  /** What the gateway says can be contradicted by a file. It cannot be shown by one. */
  const judge = (file: MarkState): MarkState =>
    file.kind === 'verdict' && file.verdict.holds ? { kind: 'not checkable', because: explanation } : file;
  return (
    <>
      <p className="notice">{explanation}</p>
      <FileCheck against={{ toldSha256: report.metadata.sha256 ?? '' }} judge={judge} />
    </>
  );
}
