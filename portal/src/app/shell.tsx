import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { Button } from '../design/button';
import { Icon } from '../design/icons';
import { Loading, Problem } from '../design/states';
import { Clock, Timed } from '../design/values';
import { countText } from '../format.ts';
import { graphql } from '../graphql/document';
import { useAction, useLive, useRead } from '../graphql/hooks';
import { later, Part } from '../later';
import { forgetReports } from '../screens/reports/left-reports.ts';
import { usePendingWork } from '../screens/to-do/pending-work';
import { texts } from '../texts.ts';
import { Alarm } from '../verification/alarm';
import { Connection } from './connection';
import { APPLICATION_PLACES, createsReports, ORGANIZATION_PLACES, PLACE_NAMES } from './places.ts';
import {
  applicationName,
  permissionChange,
  signOut,
  switchOrganization,
  useViewer,
  ViewerContext,
  viewerQuery,
  type Viewer,
} from './session';

const ORGANIZATIONS = graphql(`
  query OwnOrganizations {
    organizations {
      id
      name
    }
  }
`);
const PENDING_WORK_CHANGED = graphql(`
  subscription PendingWorkChanged {
    pendingWorkChanged {
      caseRequests
    }
  }
`);

const words = texts(
  {
    skip: 'Skip to the content',
    main: 'Main',
    menu: 'Menu',
    application: 'Application',
    organization: 'Organization',
    waiting: 'waiting',
    signOut: 'Sign out',
    signingOut: 'Signing out…',
    goTo: 'Go to',
    permissions: (when: string) =>
      `Your permissions were changed. The navigation follows them since ${when}.`,
    close: 'Close',
    closeNotice: 'Close the notice',
  },
  {
    fr: {
      skip: 'Aller au contenu',
      main: 'Navigation principale',
      menu: 'Menu',
      application: 'Application',
      organization: 'Organisation',
      waiting: 'en attente',
      signOut: 'Se déconnecter',
      signingOut: 'Déconnexion…',
      goTo: 'Aller à',
      permissions: (when: string) =>
        `Vos autorisations ont été modifiées. La navigation les suit depuis ${when}.`,
      close: 'Fermer',
      closeNotice: 'Fermer l’avis',
    },
  },
);

// Loaded when it is first opened: the first page weighs less without it.
const StepUpLayer = later(() => import('./step-up-layer'), 'StepUpLayer');
const SessionEnd = later(() => import('./session-end'), 'SessionEnd');
const GoTo = later(() => import('./go-to'), 'GoTo');
const Layer = later(() => import('../design/dialog'), 'Layer');
const DemoFilling = later(() => import('../screens/demo/demo-filling'), 'DemoFilling');
const ReportToasts = later(() => import('../screens/reports/toasts'), 'ReportToasts');

/** The frame around every screen of the signed-in user. */
export function Shell() {
  // Between the end of a session and the sign-in page nothing is shown.
  const { data: viewer } = useSuspenseQuery(viewerQuery);
  return (
    viewer && (
      <ViewerContext value={viewer}>
        <Frame viewer={viewer} />
      </ViewerContext>
    )
  );
}

function Frame({ viewer }: { readonly viewer: Viewer }) {
  const [open, setOpen] = useState<'menu' | 'go to'>();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const [openedAt, setOpenedAt] = useState(path);
  const [wasFilling] = useState(viewer.isDemoFilling);
  useEffect(forgetReports, [viewer.user?.id, viewer.organization.id]);
  // A link of the menu was followed: it closes.
  if (openedAt !== path) {
    setOpenedAt(path);
    setOpen(undefined);
  }
  useEffect(() => {
    const goTo = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setOpen('go to');
    };
    addEventListener('keydown', goTo);
    return () => removeEventListener('keydown', goTo);
  }, []);
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {words.skip}
      </a>
      <header className="topbar">
        <span className="brand">
          <Icon name="window" /> Lucarne
        </span>
        <Button onPress={() => setOpen('menu')}>{words.menu}</Button>
      </header>
      <div className="sidebar">
        <header className="brand">
          <Icon name="window" /> Lucarne
        </header>
        <Navigation onGoTo={() => setOpen('go to')} />
      </div>
      <div className="column">
        <Connection />
        <Part isSilent>{wasFilling && <DemoFilling />}</Part>
        <PermissionNote />
        <Alarm organizationId={viewer.organization.id} />
        <Part>
          <StepUpLayer />
          <SessionEnd />
        </Part>
        <Part key={open}>
          {open === 'menu' && (
            <Layer title={words.menu} onClose={() => setOpen(undefined)}>
              <Navigation onGoTo={() => setOpen('go to')} />
            </Layer>
          )}
          {open === 'go to' && <GoTo onClose={() => setOpen(undefined)} />}
        </Part>
        <Part>{createsReports(viewer.permissions) && <ReportToasts />}</Part>
        <main id="content" tabIndex={-1} key={viewer.user?.id}>
          <Suspense fallback={<Loading />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
    </div>
  );
}

function Navigation({ onGoTo }: { readonly onGoTo: () => void }) {
  const viewer = useViewer();
  const applications = viewer.permissions.applications.filter(
    ({ common, administrator, auditor }) => common.length + administrator.length + auditor.length > 0,
  );
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const [chosen, setChosen] = useState<string>();
  const inPath = /^\/a\/([^/]+)/.exec(path)?.[1];
  // Permissions change while the page is open: who had none has an application then, and a chosen one may be gone.
  const has = (app: string | undefined) => applications.some(({ foreignId }) => foreignId === app);
  const app = [inPath, chosen].find(has) ?? applications[0]?.foreignId;
  const navigate = useNavigate();
  const waits = useWaiting();
  const organizationPlaces = ORGANIZATION_PLACES.filter(({ isShown }) => isShown(viewer.permissions));
  const [isLeaving, setLeaving] = useState(false);
  return (
    <nav aria-label={words.main} className="navigation">
      <OrganizationChoice />
      <ul>
        <li>
          <Link to="/" activeOptions={{ exact: true }}>
            {PLACE_NAMES.toDo}
          </Link>
        </li>
      </ul>
      {app !== undefined && (
        <div>
          {applications.length > 1 ? (
            <select
              aria-label={words.application}
              className="input"
              value={app}
              onChange={({ target }) => {
                setChosen(target.value);
                const place = APPLICATION_PLACES.find(({ isShown }) =>
                  isShown(viewer.permissions, target.value),
                );
                if (place) void navigate({ to: place.to, params: { app: target.value } });
              }}
            >
              {applications.map(({ foreignId }) => (
                <option key={foreignId} value={foreignId}>
                  {applicationName(viewer, foreignId)}
                </option>
              ))}
            </select>
          ) : (
            <p className="nav-title">{applicationName(viewer, app)}</p>
          )}
          <ul>
            {APPLICATION_PLACES.filter(({ isShown }) => isShown(viewer.permissions, app)).map(
              ({ to, name }) => (
                <li key={to}>
                  <Link to={to} params={{ app }}>
                    {name} {to === '/a/$app/requests' && <Waiting count={waits.requests(app)} />}
                  </Link>
                </li>
              ),
            )}
          </ul>
        </div>
      )}
      {organizationPlaces.length > 0 && (
        <div>
          <p className="nav-title">{words.organization}</p>
          <ul>
            {organizationPlaces.map(({ to, name }) => (
              <li key={to}>
                <Link to={to}>
                  {name} {to === '/disclosures' && <Waiting count={waits.disclosures} />}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      )}
      <div>
        <p className="nav-title">{viewer.user?.name}</p>
        <ul>
          <li>
            <Link to="/account">{PLACE_NAMES.account}</Link>
          </li>
          <li>
            <Link to="/verify">{PLACE_NAMES.verify}</Link>
          </li>
          <li>
            <Link to="/help">{PLACE_NAMES.help}</Link>
          </li>
        </ul>
      </div>
      <div className="row">
        <Button variant="quiet" onPress={onGoTo}>
          {words.goTo}
        </Button>
        <Button
          variant="quiet"
          isDisabled={isLeaving}
          onPress={() => {
            setLeaving(true);
            // Also while the gateway does not answer: data is removed from the screen, and the sign-in page explains the
            // state.
            void signOut()
              .then(
                () => navigate({ to: '/sign-in' }),
                () => navigate({ to: '/sign-in', search: { left: true } }),
              )
              .finally(() => setLeaving(false));
          }}
        >
          {isLeaving ? words.signingOut : words.signOut}
        </Button>
      </div>
    </nav>
  );
}

/** The organization that is worked in, and the others where the same person is a member. */
function OrganizationChoice() {
  const { organization } = useViewer();
  const navigate = useNavigate();
  const organizations = useRead(['organizations'], ORGANIZATIONS, {}).data?.data.organizations ?? [];
  const change = useAction(switchOrganization);
  if (organizations.length < 2) return <p className="soft">{organization.name}</p>;
  return (
    <div>
      <select
        aria-label={words.organization}
        className="input"
        value={organization.id}
        disabled={change.isRunning}
        onChange={({ target }) =>
          void change.run(target.value, () => void navigate({ to: '/', reloadDocument: true }))
        }
      >
        {organizations.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      {change.problem && <Problem problem={change.problem} />}
    </div>
  );
}

/** How much waits for a decision of who is signed in. */
function useWaiting() {
  const work = usePendingWork();
  useLive(PENDING_WORK_CHANGED, {}, undefined, [['pendingWork'], ['toDo'], ['disclosures']]);
  return {
    requests: (app: string) =>
      work.find(({ application }) => application?.foreignId === app)?.caseRequests ?? 0,
    disclosures: work.reduce((sum, { disclosures }) => sum + (disclosures ?? 0), 0),
  };
}

const Waiting = ({ count }: { readonly count: number }) =>
  count > 0 && (
    <span className="badge">
      {countText(count)} <span className="visually-hidden">{words.waiting}</span>
    </span>
  );

/** Says that the person may do other things than before: the navigation has followed. */
function PermissionNote() {
  const changedAt = useSyncExternalStore(permissionChange.subscribe, permissionChange.read);
  return (
    <div role="status">
      {changedAt !== undefined && (
        <div className="banner">
          <p>
            <Timed at={[changedAt]} as={Clock} in={words.permissions} />
          </p>
          <Button
            label={words.closeNotice}
            onPress={() => {
              permissionChange.close();
              // The button is gone, and the focus would be lost with it.
              document.querySelector<HTMLElement>('main h1')?.focus();
            }}
          >
            {words.close}
          </Button>
        </div>
      )}
    </div>
  );
}
