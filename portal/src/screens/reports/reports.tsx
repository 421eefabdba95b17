import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { holdsOwner } from '../../app/places.ts';
import { applicationName, useViewer } from '../../app/session';
import { Button } from '../../design/button';
import { Heading } from '../../design/heading';
import { Problem } from '../../design/states';
import { useAction, usePages } from '../../graphql/hooks';
import { request as run } from '../../graphql/request';
import { texts } from '../../texts.ts';
import { GENERATE_LOG, REPORTS } from './documents';
import { downloadAddress } from './download';
import { ReportList } from './report-list';

const words = texts(
  {
    title: 'Reports',
    all: 'All reports',
    make: 'Make a report of the activity log (PDF)',
    making: 'Starting…',
    started: 'The report is being made and will appear here.',
  },
  {
    fr: {
      title: 'Rapports',
      all: 'Tous les rapports',
      make: 'Créer un rapport du journal d’activité (PDF)',
      making: 'Démarrage…',
      started: 'Le rapport est en cours et apparaîtra ici.',
    },
  },
);

export function Reports() {
  const { app } = useParams({ from: '/signed-in/a/$app/reports' });
  const viewer = useViewer();
  const pages = usePages(['reports', app], REPORTS, { foreignId: app }, ({ reports }) => reports);
  return (
    <>
      <header>
        <p className="soft">{applicationName(viewer, app)}</p>
        <Heading title={words.title} />
      </header>
      <ReportList pages={pages} downloadOf={downloadAddress(viewer, app)} />
    </>
  );
}

export function OrganizationReports() {
  const viewer = useViewer();
  const [isStarted, setStarted] = useState(false);
  const pages = usePages(['reports'], REPORTS, {}, ({ reports }) => reports);
  const action = useAction(() => run(GENERATE_LOG, { input: { format: 'pdf', wait: false } }), [['reports']]);
  return (
    <>
      <header className="row between">
        <div>
          <p className="soft">{viewer.organization.name}</p>
          <Heading title={words.all} />
        </div>
        {holdsOwner(viewer.permissions, 'reports:create') && (
          <Button
            busy={action.isRunning && words.making}
            onPress={() => void action.run(undefined, () => setStarted(true))}
          >
            {words.make}
          </Button>
        )}
      </header>
      {action.problem && <Problem problem={action.problem} />}
      <div role="status">{isStarted && <p className="notice">{words.started}</p>}</div>
      <ReportList pages={pages} downloadOf={downloadAddress(viewer)} />
    </>
  );
}
