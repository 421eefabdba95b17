import { examples } from '../examples/examples.js';
import type { Route } from '../route.js';
import { SignedOutSchema, SignInSchema, ViewerSchema } from '../schemas/session.js';

interface PermissionState {
  readonly name: string;
  readonly held: boolean;
}

interface ViewerBody {
  readonly owner: readonly PermissionState[];
  readonly applications: readonly {
    readonly foreignId: string;
    readonly name: string;
    readonly common: readonly PermissionState[];
    readonly administrator: readonly PermissionState[];
    readonly auditor: readonly PermissionState[];
  }[];
}

/** The answer is keyed by permission and by foreignId. GraphQL has lists in their place. */
const sessionBody = ({ owner, applications, ...viewer }: ViewerBody) => ({
  ...viewer,
  owner: permissionMap(owner),
  applications: Object.fromEntries(
    applications.map(({ foreignId, name, common, administrator, auditor }) => [
      foreignId,
      {
        application_info: { name },
        common: permissionMap(common),
        administrator: permissionMap(administrator),
        auditor: permissionMap(auditor),
      },
    ]),
  ),
});

const permissionMap = (states: readonly PermissionState[]) =>
  Object.fromEntries(states.map(({ name, held }) => [name, held]));

export const sessionRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/auth/sign-in',
    document: 'sign-in',
    credentials: 'session',
    anonymous: true,
    tag: 'Session',
    summary: 'Sign in',
    description:
      'Starts a session and sets its cookie. A browser must send the Origin of the portal’s own pages. A wrong ' +
      'password and an unknown e-mail address get the same answer.',
    body: { schema: SignInSchema, as: 'variables', examples: examples.signIn },
    answer: {
      status: 200,
      description: 'The session has started and its cookie is set.',
      schema: ViewerSchema,
      examples: examples.session,
      take: (data: { signIn: ViewerBody }) => sessionBody(data.signIn),
    },
    errors: {
      BAD_USER_INPUT: 'A member is missing, unknown or malformed.',
      UNAUTHENTICATED: 'The credentials are wrong.',
      TOO_MANY_REQUESTS: 'Too many attempts from this client, or too many failed sign-ins for this account.',
    },
  },
  {
    method: 'POST',
    path: '/auth/sign-out',
    document: 'sign-out',
    credentials: 'session',
    anonymous: true,
    tag: 'Session',
    summary: 'Sign out',
    description: 'Ends the session and clears its cookie. Without a session nothing changes.',
    answer: {
      status: 200,
      description: 'The session has ended, or there was none.',
      schema: SignedOutSchema,
      examples: examples.signedOut,
      take: (data: unknown) => data,
    },
    errors: {},
  },
  {
    method: 'GET',
    path: '/auth/me',
    document: 'get-me',
    credentials: 'session',
    tag: 'Session',
    summary: 'Read the session and its permissions',
    description: 'Returns the signed-in user and the permissions of the user, by bucket.',
    answer: {
      status: 200,
      description: 'The session.',
      schema: ViewerSchema,
      examples: examples.session,
      take: (data: { me: ViewerBody }) => sessionBody(data.me),
    },
    errors: {},
  },
];
