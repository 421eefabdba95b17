import { Link } from '@tanstack/react-router';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { readAgain } from '../../app/client';
import { Button } from '../../design/button';
import { Notice } from '../../design/states';
import { follow } from '../../graphql/live';
import { texts } from '../../texts.ts';
import { useRead } from '../../graphql/hooks';
import { GENERATIONS, PROGRESS, type Generation } from './documents';
import { leftReports, resumeReports, returnToReport, type LeftReport } from './left-reports.ts';
import { GENERATIONS_KEY, outcomeOf, typeNameOf } from './progress';

const words = texts(
  {
    see: 'Go to the reports',
    dismiss: 'Dismiss',
  },
  {
    fr: {
      see: 'Aller aux rapports',
      dismiss: 'Fermer',
    },
  },
);

/** The next notice has the focus, or the page without one. Otherwise it would be lost with the button. */
const focusAfter = (toast: Element | null) => {
  const next = toast?.nextElementSibling ?? toast?.previousElementSibling;
  (next?.querySelector('button') ?? document.querySelector<HTMLElement>('main h1'))?.focus();
};

/**
 * Says that a report is finished, or failed, to who went to another place while it was being made, or loaded the page again. The
 * gateway knows which reports of the viewer run: the page stores nothing.
 */
export function ReportToasts() {
  const left = useSyncExternalStore(leftReports.subscribe, leftReports.read);
  const running = useRead([...GENERATIONS_KEY, null], GENERATIONS, {}).data?.data.reportGenerations;
  useEffect(() => {
    if (running)
      resumeReports(running.map(({ id, application }) => ({ id, app: application?.foreignId ?? null })));
  }, [running]);
  return (
    <div role="status" className="toasts">
      {left.map((report) => (
        <Toast key={report.id} {...report} />
      ))}
    </div>
  );
}

function Toast({ id, app }: LeftReport) {
  const [generation, setGeneration] = useState<Generation>();
  useEffect(() => {
    return follow(
      PROGRESS,
      { foreignId: app, id },
      {
        next(read) {
          setGeneration(read.reportProgress);
          // It no longer runs: no place shows it as new.
          if (outcomeOf(read.reportProgress)) readAgain({ queryKey: GENERATIONS_KEY });
        },
        ended: () => readAgain({ queryKey: ['reports'] }),
      },
    );
  }, [app, id]);
  const outcome = generation && outcomeOf(generation);
  if (!outcome) return null;
  const close = () => returnToReport(id);
  return (
    <Notice tone={generation.status === 'failed' ? 'bad' : 'good'}>
      <p>
        <strong>{typeNameOf(generation.reportType)}</strong> {outcome}
      </p>
      <div className="row">
        {app === null ? (
          <Link to="/organization/reports" onClick={close}>
            {words.see}
          </Link>
        ) : (
          <Link to="/a/$app/reports" params={{ app }} onClick={close}>
            {words.see}
          </Link>
        )}
        <Button
          label={`${words.dismiss}: ${typeNameOf(generation.reportType)}`}
          onPress={() => {
            focusAfter(document.activeElement?.closest('.toasts > *') ?? null);
            close();
          }}
        >
          {words.dismiss}
        </Button>
      </div>
    </Notice>
  );
}
