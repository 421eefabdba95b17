import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
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
    starting: 'The report is being made. You can leave this page.',
    running: (done: string, total: string) =>
      `The report is being made: ${done} of ${total} records. You can leave this page.`,
    estimated: (done: string, total: string) =>
      `The report is being made: ${done} of about ${total} records. You can leave this page.`,
    counting: (done: string) => `The report is being made: ${done} records so far. You can leave this page.`,
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
export function outcomeOf({ status, failure }: Pick<Generation, 'status' | 'failure'>): string | undefined {
  if (status === 'finished') return words.finished;
  return status === 'failed' ? `${words.failed} ${failure ?? ''}` : undefined;
}

export const typeNameOf = (type: Generation['reportType'] | undefined): string =>
  type == null ? words.report : TYPE_NAMES[type];

/** What is read again when a report was begun. */
export const GENERATIONS_KEY = ['reportGenerations'];

/**
 * The reports that the viewer began and that run, also after the page was loaded again. Each stays with its end until the
 * viewer leaves. `app` is absent for those of the whole organization.
 */
export function Generations({
  app,
  caseId = null,
  begun,
  isOn,
}: {
  readonly app?: string;
  readonly caseId?: string | null;
  /** The generation that was begun on this page: a short one is finished before the running ones are read. */
  readonly begun?: string | undefined;
  /** Whether the viewer may make any. */
  readonly isOn: boolean;
}) {
  const { data } = useRead(
    [...GENERATIONS_KEY, app],
    GENERATIONS,
    app === undefined ? {} : { foreignId: app },
    { enabled: isOn },
  );
  const [seen, setSeen] = useState<readonly string[]>([]);
  const running = (data?.data.reportGenerations ?? []).filter(
    (generation) => caseId === null || generation.caseId === caseId,
  );
  const known = [...(begun === undefined ? [] : [begun]), ...running.map(({ id }) => id)];
  const unseen = [...new Set(known)].filter((id) => !seen.includes(id));
  if (unseen.length > 0) setSeen([...unseen, ...seen]);
  return seen.map((id) => <Progress key={id} app={app} id={id} />);
}

/** Follows the making of a report until it is there. */
function Progress({ app, id }: { readonly app: string | undefined; readonly id: string }) {
  const client = useQueryClient();
  const [generation, setGeneration] = useState<Generation>();
  useEffect(() => {
    let isOver = false;
    const stop = follow(PROGRESS, app === undefined ? { id } : { foreignId: app, id }, {
      next({ reportProgress }) {
        setGeneration(reportProgress);
        isOver = outcomeOf(reportProgress) !== undefined;
        if (reportProgress.status === 'finished') void client.invalidateQueries({ queryKey: ['reports'] });
      },
      ended: () => void client.invalidateQueries({ queryKey: ['reports'] }),
    });
    returnToReport(id);
    return () => {
      stop();
      if (!isOver) leaveReport({ id, app });
    };
  }, [app, id, client]);
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
