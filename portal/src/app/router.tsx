import {
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  Outlet,
  redirect,
  type ErrorComponentProps,
} from '@tanstack/react-router';
import { use, type ReactNode } from 'react';
import { Heading } from '../design/heading';
import { Failure } from '../design/states';
import { GatewayError } from '../graphql/gateway-error';
import { Failed, later } from '../later';
import { SignIn } from '../screens/sign-in';
import { texts } from '../texts.ts';
import { client } from './client';
import { BASE_PATH } from './go';
import { restorePlaces } from './scroll';
import {
  addressesSearch,
  assetSearch,
  caseSearch,
  disclosuresSearch,
  relaysSearch,
  logSearch,
  newRequestSearch,
  reportsSearch,
  requestsSearch,
  signInSearch,
} from '../screens/search.ts';
import { ViewerContext, viewerQuery } from './session';

const words = texts(
  { gone: 'Not found', failed: 'Not shown', back: 'Back to the portal' },
  { fr: { gone: 'Introuvable', failed: 'Non affiché', back: 'Retour au portail' } },
);

/** Outside the frame of the signed-in user, the replacement of a screen has a landmark and a way back. */
const InPlace = ({ children }: { readonly children: ReactNode }) =>
  use(ViewerContext) ? (
    children
  ) : (
    <main className="narrow wide">
      {children}
      <p>
        <Link to="/">{words.back}</Link>
      </p>
    </main>
  );
const NotFound = () => (
  <InPlace>
    <Heading title={words.gone} />
    <Failure error={new GatewayError('NOT_FOUND', '')} />
  </InPlace>
);
const NotShown = (props: ErrorComponentProps) => (
  <InPlace>
    <Heading title={words.failed} />
    <Failed {...props} />
  </InPlace>
);

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: SignIn,
  validateSearch: signInSearch,
});

/** The sign-in page does not wait for the frame of the signed-in user. */
const Shell = later(() => import('./shell'), 'Shell');
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: Shell,
  beforeLoad: async ({ location }) => {
    void Shell.preload();
    const viewer = await client.ensureQueryData({ ...viewerQuery, revalidateIfStale: true });
    if (!viewer) {
      const next = location.pathname + location.searchStr;
      throw redirect({ to: '/sign-in', search: next === '/' ? {} : { next } });
    }
  },
  notFoundComponent: NotFound,
});

const within = () => signedIn;

const home = createRoute({
  getParentRoute: within,
  path: '/',
  component: later(() => import('../screens/to-do/to-do'), 'ToDo'),
});
const requests = createRoute({
  getParentRoute: within,
  path: '/a/$app/requests',
  component: later(() => import('../screens/requests/requests'), 'Requests'),
  validateSearch: requestsSearch,
});
const newRequest = createRoute({
  getParentRoute: within,
  path: '/a/$app/requests/new',
  component: later(() => import('../screens/requests/new-request'), 'NewRequest'),
  validateSearch: newRequestSearch,
});
const request = createRoute({
  getParentRoute: within,
  path: '/a/$app/requests/$id',
  component: later(() => import('../screens/requests/request'), 'Request'),
});
const cases = createRoute({
  getParentRoute: within,
  path: '/a/$app/cases',
  component: later(() => import('../screens/cases/cases'), 'Cases'),
});
const oneCase = createRoute({
  getParentRoute: within,
  path: '/a/$app/cases/$id',
  component: later(() => import('../screens/cases/case'), 'Case'),
  validateSearch: caseSearch,
});
const reports = createRoute({
  getParentRoute: within,
  path: '/a/$app/reports',
  component: later(() => import('../screens/reports/reports'), 'Reports'),
  validateSearch: reportsSearch,
});
const organizationReports = createRoute({
  getParentRoute: within,
  path: '/organization/reports',
  component: later(() => import('../screens/reports/reports'), 'OrganizationReports'),
  validateSearch: reportsSearch,
});
const log = createRoute({
  getParentRoute: within,
  path: '/a/$app/log',
  component: later(() => import('../screens/log/log'), 'ApplicationLog'),
  validateSearch: logSearch,
});
const organizationLog = createRoute({
  getParentRoute: within,
  path: '/organization/log',
  component: later(() => import('../screens/log/log'), 'OrganizationLog'),
  validateSearch: logSearch,
});
const addresses = createRoute({
  getParentRoute: within,
  path: '/a/$app/addresses',
  component: later(() => import('../screens/addresses/addresses'), 'Addresses'),
  validateSearch: addressesSearch,
});
const applications = createRoute({
  getParentRoute: within,
  path: '/organization/applications',
  component: later(() => import('../screens/organization/applications'), 'Applications'),
});
const assets = createRoute({
  getParentRoute: within,
  path: '/organization/assets',
  component: later(() => import('../screens/organization/assets/assets'), 'Assets'),
});
const asset = createRoute({
  getParentRoute: within,
  path: '/organization/assets/$id',
  component: later(() => import('../screens/organization/assets/assets'), 'Asset'),
  validateSearch: assetSearch,
});
const policies = createRoute({
  getParentRoute: within,
  path: '/organization/policies',
  component: later(() => import('../screens/organization/policies/policies'), 'Policies'),
});
const people = createRoute({
  getParentRoute: within,
  path: '/organization/people',
  component: later(() => import('../screens/organization/people/people'), 'People'),
});
const member = createRoute({
  getParentRoute: within,
  path: '/organization/people/$id',
  component: later(() => import('../screens/organization/people/member'), 'Member'),
});
const keys = createRoute({
  getParentRoute: within,
  path: '/organization/keys',
  component: later(() => import('../screens/organization/keys/api-keys'), 'Keys'),
});
const relays = createRoute({
  getParentRoute: within,
  path: '/organization/relays',
  component: later(() => import('../screens/relays/relays'), 'Relays'),
  validateSearch: relaysSearch,
});
const relay = createRoute({
  getParentRoute: within,
  path: '/organization/relays/$id',
  component: later(() => import('../screens/relays/relays'), 'Relay'),
});
const refusals = createRoute({
  getParentRoute: within,
  path: '/organization/refusals',
  component: later(() => import('../screens/organization/refusals'), 'Refusals'),
});
const retention = createRoute({
  getParentRoute: within,
  path: '/organization/retention',
  component: later(() => import('../screens/organization/retention/retention'), 'Retention'),
});
const organizationSettings = createRoute({
  getParentRoute: within,
  path: '/organization/settings',
  component: later(() => import('../screens/organization/settings'), 'Settings'),
});
const account = createRoute({
  getParentRoute: within,
  path: '/account',
  component: later(() => import('../screens/account/account'), 'Account'),
});
const disclosure = createRoute({
  getParentRoute: within,
  path: '/disclosures/$id',
  component: later(() => import('../screens/disclosures/disclosure'), 'Disclosure'),
});
const disclosures = createRoute({
  getParentRoute: within,
  path: '/disclosures',
  component: later(() => import('../screens/disclosures/disclosures'), 'Disclosures'),
  validateSearch: disclosuresSearch,
});
const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: later(() => import('../screens/invitation'), 'Invitation'),
});
const passwordReset = createRoute({
  getParentRoute: () => root,
  path: '/password-reset',
  component: later(() => import('../screens/password-reset'), 'PasswordReset'),
});
/** Works without a session and, once loaded, without a network. */
const verify = createRoute({
  getParentRoute: () => root,
  path: '/verify',
  component: later(() => import('../screens/verify/verify-file'), 'VerifyFile'),
});
const help = createRoute({
  getParentRoute: () => root,
  path: '/help',
  component: later(() => import('../screens/help/help'), 'Help'),
});

/** For a wallet: one relay, whose id is after the `#` and is never sent as a path. */
const watchRelay = createRoute({
  getParentRoute: () => root,
  path: '/relay',
  component: later(() => import('../screens/relays/watch-relay'), 'WatchRelay'),
});

const SCREENS = [
  home,
  requests,
  newRequest,
  request,
  cases,
  oneCase,
  reports,
  organizationReports,
  log,
  organizationLog,
  disclosures,
  addresses,
  applications,
  assets,
  asset,
  policies,
  people,
  member,
  keys,
  relays,
  relay,
  refusals,
  retention,
  organizationSettings,
  account,
  disclosure,
] as const;

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    invitation,
    passwordReset,
    verify,
    help,
    watchRelay,
    signedIn.addChildren(SCREENS),
  ]),
  basepath: BASE_PATH,
  // Without it, what a route refuses of the search would reach its screen unread.
  search: { strict: true },
  defaultPreload: false,
  // Selections and open dialogs are not kept for the next object on the same page.
  defaultRemountDeps: ({ params }) => params,
  // The router would keep paths and positions in the browser's storage: `restorePlaces` keeps them in memory.
  scrollRestoration: false,
  defaultErrorComponent: NotShown,
  defaultPendingMinMs: 0,
});

restorePlaces(router);

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
