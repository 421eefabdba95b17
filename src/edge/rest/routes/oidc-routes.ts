import type { Route } from '../route.js';
import { AuthorizationResponseQuery, ReturnToQuery } from '../schemas/session.js';

const NOT_CONFIGURED = 'Sign-in by OpenID Connect is not configured.';

const SIGN_IN_PAGE = '/portal/sign-in';

/** Browsers navigate to these two routes, so both answer with redirects. */
export const oidcRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/auth/oidc/start',
    document: 'start-oidc-sign-in',
    credentials: 'session',
    anonymous: true,
    problemPage: SIGN_IN_PAGE,
    tag: 'Session',
    summary: 'Sign in by OpenID Connect',
    description:
      'Redirects the browser to the identity provider, and sets a cookie that binds the attempt to this ' +
      'browser for ten minutes.',
    query: ReturnToQuery,
    argumentNames: { returnTo: 'return_to' },
    answer: {
      status: 302,
      description: 'Redirects the browser to the identity provider.',
      locate: (data: { url: string }) => data.url,
    },
    errors: {
      BAD_USER_INPUT: '`return_to` is not a path of the portal, or a parameter is unknown.',
      NOT_FOUND: NOT_CONFIGURED,
    },
  },
  {
    method: 'GET',
    path: '/auth/oidc/callback',
    document: 'complete-oidc-sign-in',
    credentials: 'session',
    anonymous: true,
    problemPage: SIGN_IN_PAGE,
    tag: 'Session',
    summary: 'Complete a sign-in by OpenID Connect',
    description:
      'Checks the answer of the identity provider, starts a session, sets its cookie, and redirects to the ' +
      'portal. Each attempt can be completed only once. Members are matched by the provider’s subject; at the ' +
      'first sign-in, by their verified e-mail address. If the client prefers HTML to JSON, a refusal ' +
      'redirects to the sign-in page with the parameter `problem`.',
    query: AuthorizationResponseQuery,
    answer: {
      status: 302,
      description: 'The session has started. Redirects to the portal.',
      locate: (data: { signIn: { returnTo: string } }) => data.signIn.returnTo,
    },
    errors: {
      BAD_USER_INPUT: '`state` is missing, or a parameter is given twice.',
      UNAUTHENTICATED: 'The sign-in failed, was not started by this browser, or was completed before.',
      NOT_FOUND: NOT_CONFIGURED,
    },
  },
];
