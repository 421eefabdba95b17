import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { holds, holdsOwner, PLACE_NAMES, seesProposals } from '../../app/places.ts';
import { applicationName, useViewer } from '../../app/session';
import { Countdown, elapsedSeconds } from '../../design/countdown';
import { Heading } from '../../design/heading';
import { Await, Card } from '../../design/states';
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
import { REGISTRY, REQUESTS } from '../requests/documents';
import { toldPage } from './told-page.ts';
import { EndingKeys, FailedRelays, FailingAssets, RelaysInDoubt } from './watched';

const words = texts(
  {
    hello: (name: string) => `Signed in as ${name}`,
    pending: (application: string) => `Requests to decide · ${application}`,
    noPending: 'No request waits for a decision.',
    own: (application: string) => `Your pending requests · ${application}`,
    noOwn: 'None of your requests waits for a decision.',
    ending: (application: string) => `Cases that end within 48 hours · ${application}`,
    noEnding: 'No case ends within 48 hours.',
    open: (count: number) => counted(count, 'open case', 'open cases'),
    disclosures: 'Disclosures to decide',
    noDisclosures: 'No disclosure waits for a decision.',
    all: (count: number) => `All ${countText(count)}`,
    log: 'The activity log',
    logText: 'The mark says whether the log is signed, and continues what this browser saw of it before.',
    nothing: 'Nothing waits for you. The places that you may use are in the navigation.',
    noPermission:
      'You have no permission yet. People with members:manage grant permissions in your organization. The navigation follows as soon as they do.',
  },
  {
    fr: {
      hello: (name: string) => `Connecté en tant que ${name}`,
      pending: (application: string) => `Demandes à traiter · ${application}`,
      noPending: 'Aucune demande n’attend une décision.',
      own: (application: string) => `Vos demandes en attente · ${application}`,
      noOwn: 'Aucune de vos demandes n’attend une décision.',
      ending: (application: string) => `Dossiers qui se terminent dans les 48 heures · ${application}`,
      noEnding: 'Aucun dossier ne se termine dans les 48 heures.',
      open: (count: number) => counted(count, 'dossier ouvert', 'dossiers ouverts'),
      disclosures: 'Divulgations à traiter',
      noDisclosures: 'Aucune divulgation n’attend une décision.',
      all: (count: number) => `Voir les ${countText(count)}`,
      log: 'Le journal d’activité',
      logText: 'La marque dit si le journal est signé, et s’il continue ce que ce navigateur en a déjà vu.',
      nothing: 'Rien ne vous attend. Les lieux qui vous sont ouverts sont dans la navigation.',
      noPermission:
        'Vous n’avez encore aucune autorisation. Les personnes qui ont members:manage accordent les autorisations dans votre organisation. La navigation suit dès qu’elles l’ont fait.',
    },
  },
);

const SOON_SECONDS = 48 * 3_600;
const MAX_SHOWN = 20;

/** The way to the rest of what is cut here. */
const Rest = ({ count, children }: { readonly count: number; readonly children: ReactNode }) =>
  count > MAX_SHOWN && <p className="soft">{children}</p>;

export function ToDo() {
  const viewer = useViewer();
  const { permissions } = viewer;
  const decides =
    holdsOwner(permissions, 'disclosures:decide') ||
    permissions.applications.some(({ administrator }) => administrator.includes('disclosures:decide'));
  const managesMembers = holdsOwner(permissions, 'members:manage');
  const seesLog = holdsOwner(permissions, 'logs:view_activity');
  return (
    <>
      <header>
        <p className="soft">{words.hello(viewer.user?.name ?? viewer.organization.name)}</p>
        <Heading title={PLACE_NAMES.toDo} />
      </header>
      <div className="stack">
        {permissions.applications.map(({ foreignId }) => (
          <ApplicationCards key={foreignId} app={foreignId} />
        ))}
        {decides && <PendingDisclosures />}
        {managesMembers && <PendingGrants isShownEmpty={false} />}
        {seesProposals(permissions) && <ProposedOperations isShownEmpty={false} />}
        {managesMembers && <Invitations />}
        {holdsOwner(permissions, 'api_keys:manage') && <EndingKeys />}
        <Generations isOn={holdsOwner(permissions, 'reports:create')} />
        {holdsOwner(permissions, 'relays:read') && <RelaysInDoubt />}
        {holdsOwner(permissions, 'relays:read') && <FailedRelays />}
        {holdsOwner(permissions, 'applications:read') && <FailingAssets />}
        {seesLog && (
          <Card title={words.log} aside={<LogMark />}>
            <p>{words.logText}</p>
            <p>
              <Link to="/organization/log">{PLACE_NAMES.organizationLog}</Link>
            </p>
          </Card>
        )}
        {permissions.applications.length === 0 && !seesLog && (
          <Card>{permissions.owner.length === 0 ? words.noPermission : words.nothing}</Card>
        )}
      </div>
    </>
  );
}

function ApplicationCards({ app }: { readonly app: string }) {
  const { permissions } = useViewer();
  const decides = holds(permissions, app, 'administrator', 'cases:approve_creation');
  const asks = holds(permissions, app, 'auditor', 'cases:create');
  const sees =
    decides ||
    holds(permissions, app, 'administrator', 'cases:list') ||
    holds(permissions, app, 'auditor', 'reports:view_transactions');
  return (
    <>
      {decides && <PendingRequests app={app} />}
      {asks && <OwnRequests app={app} />}
      {sees && <EndingCases app={app} />}
      <Generations app={app} isOn={holds(permissions, app, 'auditor', 'reports:create')} />
    </>
  );
}

function PendingRequests({ app }: { readonly app: string }) {
  const viewer = useViewer();
  const reading = useRead(['toDo', 'pending', app], REGISTRY, {
    foreignId: app,
    status: 'pending',
    oldestFirst: true,
  });
  return (
    <Card title={words.pending(applicationName(viewer, app))}>
      <Await reading={reading} lines={2}>
        {({ data: { disclosureRegistry } }) =>
          disclosureRegistry.nodes.length === 0 ? (
            <p className="soft">{words.noPending}</p>
          ) : (
            <>
              <RequestList app={app} requests={disclosureRegistry.nodes.slice(0, MAX_SHOWN)} />
              <Rest count={disclosureRegistry.totalCount}>
                <Link to="/a/$app/requests" params={{ app }}>
                  {words.all(disclosureRegistry.totalCount)}
                </Link>
              </Rest>
            </>
          )
        }
      </Await>
    </Card>
  );
}

function PendingDisclosures() {
  const reading = useRead(['toDo', 'disclosures'], DISCLOSURES, { status: 'pending', oldestFirst: true });
  return (
    <Card title={words.disclosures}>
      <Await reading={reading} lines={2}>
        {({ data: { disclosures } }) =>
          disclosures.nodes.length === 0 ? (
            <p className="soft">{words.noDisclosures}</p>
          ) : (
            <>
              <DisclosureList disclosures={disclosures.nodes.slice(0, MAX_SHOWN)} />
              <Rest count={disclosures.totalCount}>
                <Link to="/disclosures">{words.all(disclosures.totalCount)}</Link>
              </Rest>
            </>
          )
        }
      </Await>
    </Card>
  );
}

function OwnRequests({ app }: { readonly app: string }) {
  const viewer = useViewer();
  const reading = useEvery(
    ['toDo', 'own', app],
    REQUESTS,
    { foreignId: app, status: 'pending' },
    ({ caseRequests }) => caseRequests,
  );
  return (
    <Card title={words.own(applicationName(viewer, app))}>
      <Await reading={reading} lines={2}>
        {(pending) => {
          // Who decides requests is shown those of others, too.
          const own = pending.filter(({ requestedBy }) => requestedBy.id === viewer.user?.id);
          return own.length === 0 ? (
            <p className="soft">{words.noOwn}</p>
          ) : (
            <>
              <RequestList app={app} requests={own.slice(0, MAX_SHOWN)} />
              <Rest count={own.length}>
                <Link to="/a/$app/requests" params={{ app }}>
                  {words.all(own.length)}
                </Link>
              </Rest>
            </>
          );
        }}
      </Await>
    </Card>
  );
}

function EndingCases({ app }: { readonly app: string }) {
  const viewer = useViewer();
  const reading = useEvery(['toDo', 'cases', app], ENDING_CASES, { foreignId: app }, ({ cases }) =>
    toldPage(cases),
  );
  return (
    <Card title={words.ending(applicationName(viewer, app))}>
      <Await reading={reading} lines={2}>
        {(cases) => {
          const soon = cases
            .filter(({ secondsLeft, told }) => secondsLeft - elapsedSeconds(told) < SOON_SECONDS)
            .toSorted((a, b) => a.secondsLeft - b.secondsLeft);
          return (
            <>
              {soon.length === 0 ? (
                <p className="soft">{words.noEnding}</p>
              ) : (
                <ul className="list" aria-label={words.ending(applicationName(viewer, app))}>
                  {soon.map((item) => (
                    <li key={item.id} className="item">
                      <div>
                        <Link to="/a/$app/cases/$id" params={{ app, id: item.id }}>
                          {item.reason}
                        </Link>
                      </div>
                      <div className="item-end">
                        <Countdown
                          secondsLeft={item.secondsLeft}
                          told={item.told}
                          expiresAt={item.expiresAt}
                        />
                      </div>
                    </li>
                  ))}
                </ul>
              )}
              <p className="soft">
                <Link to="/a/$app/cases" params={{ app }}>
                  {words.open(cases.length)}
                </Link>
              </p>
            </>
          );
        }}
      </Await>
    </Card>
  );
}
