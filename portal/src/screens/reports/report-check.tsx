import { useQuery } from '@tanstack/react-query';
import { useViewer } from '../../app/session';
import { Failure, Loading } from '../../design/states';
import { errorOf } from '../../graphql/gateway-error';
import { texts } from '../../texts.ts';
import type { MarkState } from '../../verification/marks';
import type { EntryNode } from '../log/documents';
import { EntryMark, useEntryState } from '../log/entry-mark';
import { FileCheck } from '../verify/verify-file';
import type { ReportNode } from './documents';
import { entriesOf, isRefusal, logOf, NO_ENTRY } from './report-entries.ts';

const words = texts(
  {
    rests: 'The file must have the hash that an entry of the activity log holds.',
    entry: 'The entry of the log, not the file:',
    word: 'That a file is this report is the gateway’s word alone.',
  },
  {
    fr: {
      rests: 'Le fichier doit avoir l’empreinte que garde une entrée du journal d’activité.',
      entry: 'L’entrée du journal, et non le fichier :',
      word: 'Qu’un fichier soit ce rapport, seule la passerelle l’affirme.',
    },
  },
);

/** How often an entry is asked for again that waits for its place in the log: it gets one within seconds. */
const DEFAULT_WAIT_MS = 1_000;
/** One that waits longer is not asked for again: a page that is left open lets its session end. */
const MAX_LOOKS = 30;

/** Compares a file with what the log holds of a report, or, where that cannot be read, with what the gateway says. */
export function ReportCheck({ report }: { readonly report: ReportNode }) {
  const log = logOf(useViewer(), report);
  const { data, error, isLoading, refetch } = useQuery({
    queryKey: ['reportEntry', report.id],
    queryFn: async ({ signal }) => (await entriesOf([report], log!, signal)).get(report.id) ?? null,
    enabled: log !== undefined,
    refetchInterval: ({ state }) =>
      state.status === 'success' && state.data?.index === null && state.dataUpdateCount < MAX_LOOKS
        ? DEFAULT_WAIT_MS
        : false,
  });
  if (isLoading) return <Loading lines={2} />;
  if (data) return <AgainstEntry report={report} entry={data} />;
  if (error && !isRefusal(error)) return <Failure error={errorOf(error)} onAgain={() => void refetch()} />;
  return (
    <AgainstWord report={report} because={data === null && !error ? NO_ENTRY.missing : NO_ENTRY.unread} />
  );
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
      <p>{words.rests}</p>
      <FileCheck against={{ logged: { saltedSha256, salt: report.metadata.salt ?? '' } }} judge={judge} />
      <p className="soft">
        {words.entry} <EntryMark entry={entry} />
      </p>
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
