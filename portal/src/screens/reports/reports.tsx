import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { holds, holdsOwner } from '../../app/places.ts';
import { applicationName, useViewer } from '../../app/session';
import { Button } from '../../design/button';
import { Heading } from '../../design/heading';
import { Problem } from '../../design/states';
import { useAction, usePages } from '../../graphql/hooks';
import { request as run } from '../../graphql/request';
import { texts } from '../../texts.ts';
import { GENERATE_LOG, REPORTS } from './documents';
import { downloadAddress } from './download';
import { Generations, GENERATIONS_KEY } from './progress';
import { ReportList } from './report-list';

const words = texts(
  {
    title: 'Reports',
    all: 'All reports',
    make: 'Make a report of the activity log (PDF)',
    making: 'Starting…',
  },
  {
    fr: {
      title: 'Rapports',
      all: 'Tous les rapports',
      make: 'Créer un rapport du journal d’activité (PDF)',
      making: 'Démarrage…',
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
      <Generations app={app} isOn={holds(viewer.permissions, app, 'auditor', 'reports:create')} />
      <ReportList pages={pages} downloadOf={downloadAddress(viewer, app)} />
    </>
  );
}

export function OrganizationReports() {
  const viewer = useViewer();
  const [begun, setBegun] = useState<string>();
  const pages = usePages(['reports'], REPORTS, {}, ({ reports }) => reports);
  const action = useAction(
    () => run(GENERATE_LOG, { input: { format: 'pdf', wait: false } }),
    [GENERATIONS_KEY, ['reports']],
  );
  const makes = holdsOwner(viewer.permissions, 'reports:create');
  return (
    <>
      <header className="row between">
        <div>
          <p className="soft">{viewer.organization.name}</p>
          <Heading title={words.all} />
        </div>
        {makes && (
          <Button
            busy={action.isRunning && words.making}
            onPress={() =>
              void action.run(undefined, ({ generateLogReport }) => setBegun(generateLogReport.id))
            }
          >
            {words.make}
          </Button>
        )}
      </header>
      {action.problem && <Problem problem={action.problem} />}
      <Generations begun={begun} isOn={makes} />
      <ReportList pages={pages} downloadOf={downloadAddress(viewer)} isOfOrganization />
    </>
  );
}
