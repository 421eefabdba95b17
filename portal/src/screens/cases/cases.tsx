import { Link, useParams } from '@tanstack/react-router';
import { holds } from '../../app/places.ts';
import { useViewer } from '../../app/session';
import { RowCountdown } from '../../design/countdown';
import { LiveRow, LiveRows } from '../../design/lists/live-rows';
import { Listing, WhereAny } from '../../design/states';
import { elapsedSeconds, type Received } from '../../design/time-left.ts';
import { Badge, Time } from '../../design/values';
import { listText } from '../../format.ts';
import { useEvery, useLive, usePages } from '../../graphql/hooks';
import { texts } from '../../texts.ts';
import { PageHead } from '../organization/page';
import { flagsText, periodText } from '../scope.ts';
import { CASE_CHANGED, CASES, OWN_REQUESTS, type OwnRequest } from './documents';

const words = texts(
  {
    title: 'Cases',
    empty: 'No case is open to you. A case begins when an administrator approves a request.',
    request: 'Request a case',
    newest: 'Cases, newest first',
    byTime: 'Cases, by time left',
    earlier: 'Ended cases of your requests',
    ended: 'Ended',
  },
  {
    fr: {
      title: 'Dossiers',
      empty:
        'Aucun dossier ne vous est ouvert. Un dossier s’ouvre quand un administrateur approuve une demande.',
      request: 'Demander un dossier',
      newest: 'Dossiers, du plus récent au plus ancien',
      byTime: 'Dossiers, par temps restant',
      earlier: 'Dossiers terminés de vos demandes',
      ended: 'Terminé',
    },
  },
);

export function Cases() {
  const { app } = useParams({ from: '/signed-in/a/$app/cases' });
  const viewer = useViewer();
  const isAdministrator =
    holds(viewer.permissions, app, 'administrator', 'cases:approve_creation') ||
    holds(viewer.permissions, app, 'administrator', 'cases:list');
  const pages = usePages(['cases', app], CASES, { foreignId: app }, ({ cases }) => cases);
  const asks = holds(viewer.permissions, app, 'auditor', 'cases:create');
  const own = useEvery(
    ['caseRequests', app, 'own'],
    OWN_REQUESTS,
    { foreignId: app },
    ({ caseRequests }) => caseRequests,
    { enabled: asks && !isAdministrator },
  );
  useLive(CASE_CHANGED, { foreignId: app }, ({ caseChanged }) => caseChanged.cursor, [['cases', app]]);
  return (
    <>
      <PageHead app={app} title={words.title} />
      <Listing
        pages={pages}
        isLive
        empty={
          <>
            <p>{words.empty}</p>
            {asks && (
              <p>
                <Link to="/a/$app/requests/new" params={{ app }}>
                  {words.request}
                </Link>
              </p>
            )}
          </>
        }
      >
        {(nodes, none) => (
          <LiveRows
            list={pages.isPrevious ? undefined : app}
            nodes={isAdministrator ? nodes : byTimeLeft(nodes)}
            keyOf={({ id }) => id}
            empty={none}
          >
            {(shown) => (
              <ul className="list" aria-label={isAdministrator ? words.newest : words.byTime}>
                {shown.map((item) => (
                  <LiveRow key={item.id} id={item.id}>
                    <div>
                      <Link to="/a/$app/cases/$id" params={{ app, id: item.id }}>
                        {item.reason}
                      </Link>
                      <p className="soft">
                        {periodText(item.periodFrom, item.periodTo)} ·{' '}
                        {listText(item.auditors.map(({ name }) => name))} · {flagsText(item.disclosureFlags)}
                      </p>
                    </div>
                    <RowCountdown
                      secondsLeft={item.secondsLeft}
                      received={item.received}
                      expiresAt={item.expiresAt}
                    />
                  </LiveRow>
                ))}
              </ul>
            )}
          </LiveRows>
        )}
      </Listing>
      {/* To an auditor an ended case is as if it were not there: their own requests tell of it. */}
      <WhereAny title={words.earlier} reading={own}>
        {(requests) => <EndedCases requests={requests} readAt={own.dataUpdatedAt} />}
      </WhereAny>
    </>
  );
}

/** The least time left first, as of now. */
const byTimeLeft = <Node extends { readonly secondsLeft: number; readonly received: Received }>(
  nodes: readonly Node[],
): readonly Node[] =>
  nodes.toSorted(
    (a, b) => a.secondsLeft - elapsedSeconds(a.received) - (b.secondsLeft - elapsedSeconds(b.received)),
  );

function EndedCases({
  requests,
  readAt,
}: {
  readonly requests: readonly OwnRequest[];
  readonly readAt: number;
}) {
  const ended = requests.filter(({ caseEndsAt }) => caseEndsAt !== null && Date.parse(caseEndsAt) <= readAt);
  if (ended.length === 0) return null;
  return (
    <section className="stack">
      <h2>{words.earlier}</h2>
      <ul className="list ended" aria-label={words.earlier}>
        {ended.map((item) => (
          <li key={item.id} className="item">
            <div>
              {item.reason}
              <p className="soft">
                {periodText(item.periodFrom, item.periodTo)} · {flagsText(item.disclosureFlags)}
              </p>
            </div>
            <div className="item-end">
              <Badge>{words.ended}</Badge>
              <span className="soft">
                <Time at={item.caseEndsAt!} />
              </span>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
