import type { Route } from '../route.js';
import { AuthorizationResponseQuery, ReturnToQuery } from '../schemas/session.js';

const NOT_CONFIGURED = 'Sign-in by OpenID Connect is not configured.';

const SIGN_IN_PAGE = '/portal/sign-in';

/** Browsers are sent through these two, so they answer with redirects. */
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
      'Sends the browser to the identity provider, with a cookie that binds the attempt to it for ten minutes.',
    query: ReturnToQuery,
    argumentNames: { returnTo: 'return_to' },
    answer: {
      status: 302,
      description: 'Redirects the browser to the identity provider.',
      locate: (data: { url: string }) => data.url,
    },
    errors: {
      BAD_USER_INPUT: '`return_to` is no path of the portal, or a parameter is unknown.',
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
      'Checks what the identity provider answered, starts a session, sets its cookie, and redirects to the portal. ' +
      'Each attempt can be completed only once. Members are matched by the provider’s subject, at the first time by their ' +
      'verified e-mail address. A refusal is sent on to the sign-in page, as `?problem=`, where the client prefers ' +
      'HTML to JSON.',
    query: AuthorizationResponseQuery,
    answer: {
      status: 302,
      description: 'Signed in; on to the portal.',
      locate: (data: { signIn: { returnTo: string } }) => data.signIn.returnTo,
    },
    errors: {
      BAD_USER_INPUT: '`state` is missing, or a parameter is given twice.',
      UNAUTHENTICATED: 'The sign-in failed, was not started by this browser, or was completed before.',
      NOT_FOUND: NOT_CONFIGURED,
    },
  },
];
