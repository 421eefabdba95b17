import * as client from 'openid-client';
import { clientNetwork } from '../../../platform/kernel/client-network.js';
import type { Clock } from '../../../platform/kernel/clock.js';
import {
  isLucarneError,
  messageOf,
  unavailable,
  type LucarneError,
} from '../../../platform/kernel/errors.js';
import { readJsonText } from '../../../platform/kernel/encoding/foreign-json.js';
import type { Log } from '../../../platform/kernel/log.js';
import { FRESH_FACTOR_MS } from '../../access/index.js';
import { createQuota } from '../../../platform/kernel/bounds/quota.js';
import { CLOCK_TOLERANCE_SECONDS, signInRefused, type SignInAttempt } from './sign-in-attempt.js';

export interface OpenIdProviderOptions {
  /** https, or http on loopback. */
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The URL to which the provider redirects the browser. It is known once the server listens. */
  readonly redirectUri: () => string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The parameters of the provider's redirect (RFC 6749 section 4.1.2, RFC 9207). */
export interface AuthorizationResponse {
  readonly state: string;
  readonly code?: string | null | undefined;
  readonly iss?: string | null | undefined;
  readonly error?: string | null | undefined;
}

/** The person whom the provider confirms. */
export interface Identity {
  readonly issuer: string;
  /** The provider's own id of the person. It is unique within the issuer and never reassigned. */
  readonly subject: string;
  /** Whether the provider states that it required more than one factor (RFC 8176, `mfa`). */
  readonly multiFactor: boolean;
  /** When the provider asked the person for the factors (`auth_time`). Null if it does not say. */
  readonly authenticatedAt: Date | null;
  /** The e-mail address, if the provider states that it has verified it. */
  verifiedEmail(): Promise<string | undefined>;
}

/** An OpenID provider and its relying party. If it is unreachable, the error is `UNAVAILABLE`. The next call asks again. */
export interface OpenIdProvider {
  authorizationUrl(attempt: SignInAttempt): Promise<string>;
  /** Exchanges the code and checks the ID token. Any error is the same `UNAUTHENTICATED`. */
  identify(attempt: SignInAttempt, response: AuthorizationResponse, clientAddress: string): Promise<Identity>;
}

const TIMEOUT_SECONDS = 5;
/** Each caller costs the provider a request. Beyond this number, or the share of a client, callers must retry later. */
const MAX_REQUESTS = 20;
const MAX_PER_CLIENT = 5;
const METADATA_LIFETIME_MS = 60 * 60_000;

export function createOpenIdProvider(options: OpenIdProviderOptions): OpenIdProvider {
  const { clock, log } = options;
  const discovered = discovery(options);
  const shares = createQuota(MAX_PER_CLIENT);
  let asked = 0;

  const ask = async <Answer>(clientAddress: string, question: () => Promise<Answer>): Promise<Answer> => {
    const network = clientNetwork(clientAddress);
    if (asked >= MAX_REQUESTS || !shares.take(network)) {
      throw unavailable('Too many sign-ins are in progress. Try again in a moment.', {
        retryAfterSeconds: 1,
      });
    }
    asked += 1;
    try {
      return await question();
    } catch (thrown) {
      throw explain(log, thrown);
    } finally {
      asked -= 1;
      shares.give(network);
    }
  };

  const identify = async (
    attempt: SignInAttempt,
    response: AuthorizationResponse,
    clientAddress: string,
  ): Promise<Identity> => {
    const configuration = await discovered();
    const tokens = await client.authorizationCodeGrant(configuration, callbackUrl(options, response), {
      pkceCodeVerifier: attempt.codeVerifier,
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims()!;
    // The library does not check `iat`: the token must have been created for this attempt, by a clock near ours.
    const now = clock.now().getTime() / 1000;
    if (
      claims.iat > now + CLOCK_TOLERANCE_SECONDS ||
      claims.iat < attempt.startedAt / 1000 - CLOCK_TOLERANCE_SECONDS
    ) {
      throw signInRefused();
    }
    return {
      issuer: claims.iss,
      subject: claims.sub,
      multiFactor: Array.isArray(claims['amr']) && claims['amr'].includes('mfa'),
      authenticatedAt:
        claims.auth_time === undefined ? null : new Date(1000 * Math.min(claims.auth_time, now)),
      verifiedEmail: () =>
        ask(clientAddress, async () => {
          const person =
            claims['email'] === undefined
              ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
              : claims;
          const { email } = person;
          return person['email_verified'] === true && typeof email === 'string' ? email : undefined;
        }),
    };
  };

  return {
    async authorizationUrl({ codeVerifier, state, nonce }) {
      const configuration = await discovered();
      return client.buildAuthorizationUrl(configuration, {
        redirect_uri: options.redirectUri(),
        response_type: 'code',
        scope: 'openid email',
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        // Makes the provider ask the person again: the provider's own session does not prove that the person is present.
        max_age: String(FRESH_FACTOR_MS / 1000),
      }).href;
    },
    identify: (attempt, response, clientAddress) =>
      ask(clientAddress, () => identify(attempt, response, clientAddress)),
  };
}

const MAX_ANSWER_BYTES = 256 * 1024;

/** The library reads and parses whole bodies. So bodies that are too long or too expensive to parse are refused before. */
const boundedFetch: client.CustomFetch = async (url, options) => {
  const { body, status, statusText, headers } = await fetch(url, options as RequestInit);
  const text = await readJsonText(body, { maxBytes: MAX_ANSWER_BYTES });
  const isEmpty = text === '';
  return new Response(isEmpty ? null : text, { status, statusText, headers });
};

/** Reads the provider's metadata when they are first needed, and again after an hour or a failure. */
function discovery({ issuer, clientId, clientSecret, clock, log }: OpenIdProviderOptions) {
  let found: { readonly until: number; readonly configuration: Promise<client.Configuration> } | undefined;

  const discover = async () => {
    try {
      return await client.discovery(
        issuer,
        clientId,
        { client_secret: clientSecret, [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
        undefined,
        {
          timeout: TIMEOUT_SECONDS,
          // The library trusts TLS for an ID token from the token endpoint. Its signature is checked anyway.
          execute: [
            client.enableNonRepudiationChecks,
            // Deprecated only to attract attention. The configuration allows http only on loopback.
            // eslint-disable-next-line @typescript-eslint/no-deprecated
            ...(issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []),
          ],
          [client.customFetch]: boundedFetch,
        },
      );
    } catch (thrown) {
      found = undefined;
      log.warn({ err: thrown, code: codeOf(thrown) }, 'The metadata of the OpenID provider cannot be read.');
      throw outOfReach(thrown);
    }
  };

  return () => {
    const now = clock.now().getTime();
    if (!found || now >= found.until) {
      found = { until: now + METADATA_LIFETIME_MS, configuration: discover() };
    }
    return found.configuration;
  };
}

function callbackUrl({ redirectUri }: OpenIdProviderOptions, response: AuthorizationResponse): URL {
  const url = new URL(redirectUri());
  for (const name of ['code', 'state', 'iss', 'error'] as const) {
    const value = response[name];
    if (value != null) url.searchParams.set(name, value);
  }
  return url;
}

/** Distinguishes a provider that is unreachable or does not know this client from a refused sign-in. */
function explain(log: Log, thrown: unknown): LucarneError {
  if (isLucarneError(thrown)) return thrown;
  const code = codeOf(thrown);
  // The library's messages are constant sentences. Codes and tokens are in the cause, which is not logged.
  log.warn({ err: thrown, code }, 'A sign-in by OpenID Connect failed.');
  return isRefusal(thrown, code) ? signInRefused() : outOfReach(thrown);
}

const CLIENT_NOT_KNOWN = ['invalid_client', 'unauthorized_client'];
const PROVIDER_FAILED = ['server_error', 'temporarily_unavailable'];
// The response is for another request, person or client, or from an unknown issuer. Other failures, such as a timeout or a
// server error, say nothing about this person.
const WRONG_ANSWERS = [
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_PARSE_ERROR',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
];

function isRefusal(thrown: unknown, code: string | undefined): boolean {
  if (thrown instanceof client.ResponseBodyError || thrown instanceof client.AuthorizationResponseError) {
    return ![...CLIENT_NOT_KNOWN, ...PROVIDER_FAILED].includes(thrown.error);
  }
  if (thrown instanceof client.WWWAuthenticateChallengeError) return true;
  return code !== undefined && WRONG_ANSWERS.includes(code);
}

function codeOf(thrown: unknown): string | undefined {
  const code: unknown = thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined;
  return typeof code === 'string' ? code : undefined;
}

const outOfReach = (cause: unknown) =>
  unavailable('The identity provider cannot be reached. Try again later.', {
    retryAfterSeconds: TIMEOUT_SECONDS,
    cause: new Error(messageOf(cause)),
  });
