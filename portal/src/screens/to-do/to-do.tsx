import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import {
  createsReports,
  holds,
  holdsOwner,
  holdsSomewhere,
  PLACE_NAMES,
  readsSomeLog,
  seesCases,
  seesProposals,
} from '../../app/places.ts';
import { applicationName, readPermissions, useViewer } from '../../app/session';
import { Button } from '../../design/button';
import { RowCountdown } from '../../design/countdown';
import { Heading } from '../../design/heading';
import { LiveRow, LiveRows } from '../../design/lists/live-rows';
import { Await, Card } from '../../design/states';
import { elapsedSeconds } from '../../design/time-left.ts';
import { countText } from '../../format.ts';
import { counted, texts } from '../../texts.ts';
import { useEvery, useRead } from '../../graphql/hooks';
import { LogMark } from '../log/log-mark';
import { RequestList } from '../requests/requests';
import { DISCLOSURES } from '../disclosures/documents';
import { DisclosureList } from '../disclosures/disclosure-list';
import { Invitations } from '../organization/people/invitations';
import { PendingGrants, ProposedOperations } from '../organization/second-person';
import { Generations } from '../reports/progress';
import { ENDING_CASES } from '../cases/documents';
import { REGISTRY, REQUESTS, type RequestNode } from '../requests/documents';
import { usePendingWork } from './pending-work';
import { receivedPage } from './received-page.ts';
import { EndingKeys, FailedRelays, FailingAssets, RelaysInDoubt } from './watched';

const words = texts(
  {
    hello: (name: string) => `Signed in as ${name}`,
    pending: 'Requests to decide',
    noPending: 'No request waits for a decision.',
    own: 'Your pending requests',
    noOwn: 'None of your requests waits for a decision.',
    request: 'Request a case',
    requestOf: 'Request a case in',
    ofEach: (text: string) => `${text}:`,
    others: (count: number) =>
      `The navigation leads to ${counted(count, 'other application', 'other applications')}.`,
    ending: 'Cases that end within 48 hours',
    noEnding: 'No case ends within 48 hours.',
    open: (count: number) => counted(count, 'open case', 'open cases'),
    disclosures: 'Disclosures to decide',
    noDisclosures: 'No disclosure waits for a decision.',
    all: (count: number) => `All ${countText(count)}`,
    log: 'The activity log',
    logText: 'The mark says whether the log is signed, and continues what this browser saw of it before.',
    logOfCases: 'Each of your cases shows its own activity.',
    nothing:
      'Nothing waits for you. What needs you appears here; the places that you may use are in the navigation.',
    noPermission:
      'You have no permission yet. Ask an owner of your organization to grant you some. Then look again.',
    again: 'Look again',
  },
  {
    fr: {
      hello: (name: string) => `Connecté en tant que ${name}`,
      pending: 'Demandes à traiter',
      noPending: 'Aucune demande n’attend une décision.',
      own: 'Vos demandes en attente',
      noOwn: 'Aucune de vos demandes n’attend une décision.',
      request: 'Demander un dossier',
      requestOf: 'Demander un dossier dans',
      ofEach: (text: string) => `${text} :`,
      others: (count: number) =>
        `La navigation mène à ${counted(count, 'autre application', 'autres applications')}.`,
      ending: 'Dossiers qui se terminent dans les 48 heures',
      noEnding: 'Aucun dossier ne se termine dans les 48 heures.',
      open: (count: number) => counted(count, 'dossier ouvert', 'dossiers ouverts'),
      disclosures: 'Divulgations à traiter',
      noDisclosures: 'Aucune divulgation n’attend une décision.',
      all: (count: number) => `Voir les ${countText(count)}`,
      log: 'Le journal d’activité',
      logText: 'La marque dit si le journal est signé, et s’il continue ce que ce navigateur en a déjà vu.',
      logOfCases: 'Chacun de vos dossiers montre sa propre activité.',
      nothing:
        'Rien ne vous attend. Ce qui vous attendra paraîtra ici ; les lieux qui vous sont ouverts sont dans la navigation.',
      noPermission:
        'Vous n’avez encore aucune autorisation. Demandez à un propriétaire de votre organisation de vous en accorder. Regardez ensuite de nouveau.',
      again: 'Regarder de nouveau',
    },
  },
);

const SOON_SECONDS = 48 * 3_600;
const MAX_SHOWN = 20;

export function ToDo() {
  const viewer = useViewer();
  const { permissions } = viewer;
  const decides =
    holdsOwner(permissions, 'disclosures:decide') ||
    holdsSomewhere(permissions, ['administrator', 'disclosures:decide']);
  const managesMembers = holdsOwner(permissions, 'members:manage');
  const seesLog = readsSomeLog(permissions);
  const decidesRequests = holdsSomewhere(permissions, ['administrator', 'cases:approve_creation']);
  const asks = holdsSomewhere(permissions, ['auditor', 'cases:create']);
  const hasCases = permissions.applications.some(({ foreignId }) => seesCases(permissions, foreignId));
  /** Whether a card is there although nothing waits. The other cards come only with what they show. */
  const hasCard = decidesRequests || asks || hasCases || decides || seesLog;
  // One read for all applications: a member may work in a thousand of them.
  return (
    <>
      <header>
        <p className="soft">{words.hello(viewer.user?.name ?? viewer.organization.name)}</p>
        <Heading title={PLACE_NAMES.toDo} />
      </header>
      <div className="stack">
        {decidesRequests && <PendingRequests />}
        {asks && <OwnRequests />}
        {hasCases && <EndingCases />}
        <Generations isOn={createsReports(permissions)} />
        {decides && <PendingDisclosures />}
        {managesMembers && <PendingGrants isShownEmpty={false} />}
        {seesProposals(permissions) && <ProposedOperations isShownEmpty={false} />}
        {managesMembers && <Invitations />}
        {holdsOwner(permissions, 'api_keys:manage') && <EndingKeys />}
        {holdsOwner(permissions, 'relays:read') && <RelaysInDoubt />}
        {holdsOwner(permissions, 'relays:read') && <FailedRelays />}
        {holdsOwner(permissions, 'applications:read') && <FailingAssets />}
        {seesLog && (
          <Card title={words.log} aside={<LogMark />}>
            <p>{words.logText}</p>
            <ToLog />
          </Card>
        )}
        {!hasCard && (
          <Card>
            {permissions.owner.length + permissions.applications.length > 0 ? (
              words.nothing
            ) : (
              <>
                <p>{words.noPermission}</p>
                <Button onPress={() => void readPermissions()}>{words.again}</Button>
              </>
            )}
          </Card>
        )}
      </div>
    </>
  );
}

/** The application, where the viewer works in only one. */
function useOnlyApplication(): string | undefined {
  const { applications } = useViewer().permissions;
  return applications.length === 1 ? applications[0]!.foreignId : undefined;
}

/** A member may work in a thousand applications. */
const MAX_LINKS = 8;

/** Links to the same place of several applications: of one by the sentence itself, of more by their names. */
function ToEach({
  to,
  of: applications,
  text,
  ofSeveral = text,
}: {
  readonly to: '/a/$app/cases' | '/a/$app/log' | '/a/$app/requests' | '/a/$app/requests/new';
  /** By foreignId, with how many things are there, if they are counted. */
  readonly of: ReadonlyMap<string, number | undefined>;
  readonly text: string;
  readonly ofSeveral?: string;
}) {
  const viewer = useViewer();
  const [only] = applications.keys();
  if (only === undefined) return null;
  if (viewer.permissions.applications.length === 1)
    return (
      <p className="soft">
        <Link to={to} params={{ app: only }}>
          {text}
        </Link>
      </p>
    );
  const links = [...applications].slice(0, MAX_LINKS);
  return (
    <div className="row soft">
      <span>{words.ofEach(ofSeveral)}</span>
      {links.map(([app, count]) => (
        <Link key={app} to={to} params={{ app }}>
          {applicationName(viewer, app)}
          {count !== undefined && ` (${countText(count)})`}
        </Link>
      ))}
      {applications.size > MAX_LINKS && <span>{words.others(applications.size - MAX_LINKS)}</span>}
    </div>
  );
}

/** The log that the viewer reads: of the organization, of applications, or of cases. */
function ToLog() {
  const { permissions } = useViewer();
  if (holdsOwner(permissions, 'logs:view_activity'))
    return (
      <p>
        <Link to="/organization/log">{PLACE_NAMES.organizationLog}</Link>
      </p>
    );
  const open = permissions.applications.map(({ foreignId }) => foreignId);
  const those = (apps: readonly string[]) => new Map(apps.map((app) => [app, undefined]));
  const logs = open.filter((app) => holds(permissions, app, 'common', 'logs:view_activity'));
  if (logs.length > 0) return <ToEach to="/a/$app/log" of={those(logs)} text={PLACE_NAMES.log} />;
  const cases = open.filter((app) => seesCases(permissions, app));
  return (
    <>
      <p>{words.logOfCases}</p>
      <ToEach to="/a/$app/cases" of={those(cases)} text={PLACE_NAMES.cases} />
    </>
  );
}

/** How many of the things are of each application, by foreignId. */
const countsOf = (things: readonly { readonly application: { readonly foreignId: string } }[]) =>
  new Map(
    [...Map.groupBy(things, ({ application }) => application.foreignId)].map(([app, { length }]) => [
      app,
      length,
    ]),
  );

/** The oldest of them, and the way to the others. */
function RequestsOfAll({
  requests,
  empty,
  count,
  counts,
}: {
  readonly requests: readonly RequestNode[];
  readonly empty: ReactNode;
  readonly count: number;
  readonly counts: ReadonlyMap<string, number>;
}) {
  const only = useOnlyApplication();
  const each = only === undefined ? counts : new Map([[only, count]]);
  return (
    <>
      <LiveRows list="shown" nodes={requests.slice(0, MAX_SHOWN)} keyOf={({ id }) => id} empty={empty}>
        {(rows) => <RequestList requests={rows} namesApplication={only === undefined} />}
      </LiveRows>
      {count > MAX_SHOWN && <ToEach to="/a/$app/requests" of={each} text={words.all(count)} />}
    </>
  );
}

function PendingRequests() {
  const work = usePendingWork();
  const reading = useRead(['toDo', 'pending'], REGISTRY, {
    status: 'pending',
    oldestFirst: true,
    first: MAX_SHOWN,
  });
  return (
    <Card title={words.pending}>
      <Await reading={reading} lines={2}>
        {({ data: { disclosureRegistry } }) => (
          <RequestsOfAll
            requests={disclosureRegistry.nodes}
            empty={<p className="soft">{words.noPending}</p>}
            count={disclosureRegistry.totalCount}
            counts={
              new Map(
                work.flatMap(({ application, caseRequests }): [string, number][] =>
                  application && caseRequests ? [[application.foreignId, caseRequests]] : [],
                ),
              )
            }
          />
        )}
      </Await>
    </Card>
  );
}

function PendingDisclosures() {
  const reading = useRead(['toDo', 'disclosures'], DISCLOSURES, { status: 'pending', oldestFirst: true });
  return (
    <Card title={words.disclosures}>
      <Await reading={reading} lines={2}>
        {({ data: { disclosures } }) => (
          <>
            <LiveRows
              list="shown"
              nodes={disclosures.nodes.slice(0, MAX_SHOWN)}
              keyOf={({ id }) => id}
              empty={<p className="soft">{words.noDisclosures}</p>}
            >
              {(rows) => <DisclosureList disclosures={rows} />}
            </LiveRows>
            {disclosures.totalCount > MAX_SHOWN && (
              <p className="soft">
                <Link to="/disclosures">{words.all(disclosures.totalCount)}</Link>
              </p>
            )}
          </>
        )}
      </Await>
    </Card>
  );
}

function OwnRequests() {
  const viewer = useViewer();
  const { applications } = viewer.permissions;
  const open = applications
    .map(({ foreignId }) => foreignId)
    .filter((app) => holds(viewer.permissions, app, 'auditor', 'cases:create'));
  const reading = useEvery(
    ['toDo', 'own'],
    REQUESTS,
    { status: 'pending', first: 200 },
    ({ caseRequests }) => caseRequests,
  );
  return (
    <Card title={words.own}>
      <Await reading={reading} lines={2}>
        {(pending) => {
          // Who decides requests is shown those of others, too.
          const own = pending.filter(({ requestedBy }) => requestedBy.id === viewer.user?.id);
          return (
            <RequestsOfAll
              requests={own}
              empty={
                <>
                  <p className="soft">{words.noOwn}</p>
                  <ToEach
                    to="/a/$app/requests/new"
                    of={new Map(open.map((app) => [app, undefined]))}
                    text={words.request}
                    ofSeveral={words.requestOf}
                  />
                </>
              }
              count={own.length}
              counts={countsOf(own)}
            />
          );
        }}
      </Await>
    </Card>
  );
}

function EndingCases() {
  const only = useOnlyApplication();
  const reading = useEvery(['toDo', 'cases'], ENDING_CASES, {}, ({ cases }) => receivedPage(cases));
  return (
    <Card title={words.ending}>
      <Await reading={reading} lines={2}>
        {(cases) => {
          const soon = cases
            .filter(({ secondsLeft, received }) => secondsLeft - elapsedSeconds(received) < SOON_SECONDS)
            .toSorted((a, b) => a.secondsLeft - b.secondsLeft);
          return (
            <>
              <LiveRows
                list="shown"
                nodes={soon}
                keyOf={({ id }) => id}
                empty={<p className="soft">{words.noEnding}</p>}
              >
                {(rows) => (
                  <ul className="list" aria-label={words.ending}>
                    {rows.map(({ id, application, reason, secondsLeft, received, expiresAt }) => (
                      <LiveRow key={id} id={id}>
                        <div>
                          <Link to="/a/$app/cases/$id" params={{ app: application.foreignId, id }}>
                            {reason}
                          </Link>
                          {only === undefined && <p className="soft">{application.name}</p>}
                        </div>
                        <RowCountdown secondsLeft={secondsLeft} received={received} expiresAt={expiresAt} />
                      </LiveRow>
                    ))}
                  </ul>
                )}
              </LiveRows>
              <ToEach to="/a/$app/cases" of={countsOf(cases)} text={words.open(cases.length)} />
            </>
          );
        }}
      </Await>
    </Card>
  );
}
