import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { holds, holdsOwner, PLACE_NAMES } from '../../app/places.ts';
import { useViewer } from '../../app/session';
import { Heading } from '../../design/heading';
import { useOne, usePages } from '../../graphql/hooks';
import { texts } from '../../texts.ts';
import { PageHead } from '../organization/page';
import { REPORT, REPORTS } from './documents';
import { downloadAddress } from './download';
import { MakeLogReport } from './log-report';
import { Generations } from './progress';
import { ReportList } from './report-list';

const words = texts(
  {
    title: 'Reports',
    all: 'All reports',
    others: 'Show the other reports',
    ofCase: 'A report of the transactions of a case is created in the case:',
  },
  {
    fr: {
      title: 'Rapports',
      all: 'Tous les rapports',
      others: 'Afficher les autres rapports',
      ofCase: 'Un rapport sur les transactions d’un dossier se crée dans le dossier :',
    },
  },
);

/** The reports of a place, or the one that its address names. */
function useReports(id: string | undefined, app?: string) {
  const isOne = id !== undefined;
  const one = useOne(['report', id], REPORT, { id: id ?? '' }, ({ report }) => report, { enabled: isOne });
  const within = app === undefined ? {} : { foreignId: app };
  const key = app === undefined ? ['reports'] : ['reports', app];
  const all = usePages(key, REPORTS, within, ({ reports }) => reports, { enabled: !isOne });
  return isOne ? one : all;
}

export function Reports() {
  const { app } = useParams({ from: '/signed-in/a/$app/reports' });
  const { report } = useSearch({ from: '/signed-in/a/$app/reports' });
  const viewer = useViewer();
  const [begun, setBegun] = useState<string>();
  const makes = holds(viewer.permissions, app, 'auditor', 'reports:create');
  const pages = useReports(report, app);
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
      {makes && (
        <p className="soft">
          {words.ofCase}{' '}
          <Link to="/a/$app/cases" params={{ app }}>
            {PLACE_NAMES.cases}
          </Link>
        </p>
      )}
      <Generations app={app} begun={begun} isOn={makes} />
      <ReportList pages={pages} downloadOf={downloadAddress(viewer, app)} />
      {report !== undefined && (
        <p>
          <Link to="/a/$app/reports" params={{ app }}>
            {words.others}
          </Link>
        </p>
      )}
    </>
  );
}

export function OrganizationReports() {
  const viewer = useViewer();
  const { report } = useSearch({ from: '/signed-in/organization/reports' });
  const [begun, setBegun] = useState<string>();
  const pages = useReports(report);
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
      {report !== undefined && (
        <p>
          <Link to="/organization/reports">{words.others}</Link>
        </p>
      )}
    </>
  );
}
