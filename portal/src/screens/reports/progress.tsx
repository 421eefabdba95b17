import { useEffect, useState, type ReactNode } from 'react';
import { readAgain } from '../../app/client';
import { Notice } from '../../design/states';
import { countText } from '../../format.ts';
import { useRead } from '../../graphql/hooks';
import { follow } from '../../graphql/live';
import { texts } from '../../texts.ts';
import { GENERATIONS, PROGRESS, type Generation } from './documents';
import { leaveReport, returnToReport } from './left-reports.ts';
import { TYPE_NAMES } from './type-names.ts';

const words = texts(
  {
    report: 'Report',
    starting: 'The report is being created. You can leave this page.',
    running: (done: string, total: string) =>
      `The report is being created: ${done} of ${total} records. You can leave this page.`,
    estimated: (done: string, total: string) =>
      `The report is being created: ${done} of about ${total} records. You can leave this page.`,
    counting: (done: string) =>
      `The report is being created: ${done} records so far. You can leave this page.`,
    finished: 'The report is finished.',
    failed: 'The report failed.',
  },
  {
    fr: {
      report: 'Rapport',
      starting: 'Le rapport est en cours. Vous pouvez quitter cette page.',
      running: (done: string, total: string) =>
        `Le rapport est en cours : ${done} enregistrements sur ${total}. Vous pouvez quitter cette page.`,
      estimated: (done: string, total: string) =>
        `Le rapport est en cours : ${done} enregistrements sur environ ${total}. Vous pouvez quitter cette page.`,
      counting: (done: string) =>
        `Le rapport est en cours : ${done} enregistrements jusqu’ici. Vous pouvez quitter cette page.`,
      finished: 'Le rapport est terminé.',
      failed: 'Le rapport a échoué.',
    },
  },
);

/** How it ended; undefined while it is being made. */
export function outcomeOf({ status, failure }: Pick<Generation, 'status' | 'failure'>): ReactNode {
  if (status === 'finished') return words.finished;
  if (status !== 'failed') return undefined;
  // The gateway says why in English.
  return (
    <>
      {words.failed} <span lang="en">{failure}</span>
    </>
  );
}

export const typeNameOf = (type: Generation['reportType'] | undefined): string =>
  type == null ? words.report : TYPE_NAMES[type];

/** What is read again when a report was begun. */
export const GENERATIONS_KEY = ['reportGenerations'];

interface GenerationsProps {
  /** Only those of this application; null for those of the whole organization. By default all of them. */
  readonly app?: string | null;
  readonly caseId?: string | null;
  /** The generation that was begun on this page: a short one is finished before the running ones are read. */
  readonly begun?: string | undefined;
  /** Whether the viewer may make any. */
  readonly isOn: boolean;
}

interface Seen {
  readonly id: string;
  readonly app: string | null;
}

/**
 * The reports that the viewer began and that run, also after the page was loaded again. Each stays with its end until the
 * viewer leaves.
 */
export function Generations({ app, caseId = null, begun, isOn }: GenerationsProps) {
  const { data } = useRead([...GENERATIONS_KEY, app ?? null], GENERATIONS, app ? { foreignId: app } : {}, {
    enabled: isOn,
  });
  const [seen, setSeen] = useState<readonly Seen[]>([]);
  const running = (data?.data.reportGenerations ?? [])
    .filter((generation) => caseId === null || generation.caseId === caseId)
    .map(({ id, application }): Seen => ({ id, app: application?.foreignId ?? null }))
    .filter((generation) => app === undefined || generation.app === app);
  const known = [...(begun === undefined ? [] : [{ id: begun, app: app ?? null }]), ...running];
  const unseen = known.filter(
    ({ id }, index) =>
      !seen.some((one) => one.id === id) && known.findIndex((one) => one.id === id) === index,
  );
  if (unseen.length > 0) setSeen([...unseen, ...seen]);
  return seen.map((one) => <Progress key={one.id} {...one} />);
}

/** Follows the making of a report until it is there. */
function Progress({ app, id }: Seen) {
  const [generation, setGeneration] = useState<Generation>();
  useEffect(() => {
    let isOver = false;
    const stop = follow(
      PROGRESS,
      { foreignId: app, id },
      {
        next({ reportProgress }) {
          setGeneration(reportProgress);
          isOver = outcomeOf(reportProgress) !== undefined;
          if (isOver) readAgain({ queryKey: GENERATIONS_KEY });
          if (reportProgress.status === 'finished') readAgain({ queryKey: ['reports'] });
        },
        ended: () => readAgain({ queryKey: ['reports'] }),
      },
    );
    returnToReport(id);
    return () => {
      stop();
      if (!isOver) leaveReport({ id, app });
    };
  }, [app, id]);
  return (
    <div role="status">
      <Notice
        tone={generation?.status === 'failed' ? 'bad' : generation?.status === 'finished' ? 'good' : 'plain'}
      >
        <strong>{typeNameOf(generation?.reportType)}</strong>{' '}
        {generation ? (outcomeOf(generation) ?? runningText(generation)) : words.starting}
      </Notice>
    </div>
  );
}

function runningText({ recordCount, recordTotal, recordTotalIsEstimate }: Generation): string {
  if (recordTotal === null) return words.counting(countText(recordCount));
  return words[recordTotalIsEstimate ? 'estimated' : 'running'](
    countText(recordCount),
    countText(recordTotal),
  );
}
