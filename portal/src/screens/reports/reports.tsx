import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { holds, holdsOwner } from '../../app/places.ts';
import { useViewer } from '../../app/session';
import { Heading } from '../../design/heading';
import { usePages } from '../../graphql/hooks';
import { texts } from '../../texts.ts';
import { PageHead } from '../organization/page';
import { REPORTS } from './documents';
import { downloadAddress } from './download';
import { MakeLogReport } from './log-report';
import { Generations } from './progress';
import { ReportList } from './report-list';

const words = texts(
  {
    title: 'Reports',
    all: 'All reports',
  },
  {
    fr: {
      title: 'Rapports',
      all: 'Tous les rapports',
    },
  },
);

export function Reports() {
  const { app } = useParams({ from: '/signed-in/a/$app/reports' });
  const viewer = useViewer();
  const [begun, setBegun] = useState<string>();
  const makes = holds(viewer.permissions, app, 'auditor', 'reports:create');
  const pages = usePages(['reports', app], REPORTS, { foreignId: app }, ({ reports }) => reports);
  return (
    <>
      <PageHead
        app={app}
        title={words.title}
        action={
          makes &&
          holds(viewer.permissions, app, 'common', 'logs:view_activity') && (
            <MakeLogReport app={app} onBegun={setBegun} />
          )
        }
      />
      <Generations app={app} begun={begun} isOn={makes} />
      <ReportList pages={pages} downloadOf={downloadAddress(viewer, app)} />
    </>
  );
}

export function OrganizationReports() {
  const viewer = useViewer();
  const [begun, setBegun] = useState<string>();
  const pages = usePages(['reports'], REPORTS, {}, ({ reports }) => reports);
  const makes = holdsOwner(viewer.permissions, 'reports:create');
  return (
    <>
      <header className="row between">
        <div>
          <p className="soft">{viewer.organization.name}</p>
          <Heading title={words.all} />
        </div>
        {makes && <MakeLogReport onBegun={setBegun} />}
      </header>
      <Generations app={null} begun={begun} isOn={makes} />
      <ReportList pages={pages} downloadOf={downloadAddress(viewer)} isOfOrganization />
    </>
  );
}
