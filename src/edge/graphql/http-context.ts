import '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  forbidden,
  isLucarneError,
  type LucarneError,
  unauthenticated,
  unavailable,
} from '../../platform/kernel/errors.js';
import { originsOf } from '../../platform/kernel/hosts.js';
import type { RequestContext, SessionCookie } from '../../domain/access/index.js';
import type { SecurityLog } from '../../domain/organizations/index.js';
import { clientAddressOf } from './client-address.js';
import { identifyClient, type IdentifyingOptions } from './limits/identify-client.js';

/** The credentials that a surface accepts. GraphQL accepts `any` and prefers a bearer key to a cookie. */
export type Credentials = 'api_key' | 'session' | 'any' | 'none';

/**
 * From where a browser may send a request with the session cookie. A `change` must name an origin of the gateway. A `read` must
 * not come from a page of another origin, because the log says that the person read it. An `arrival` comes from another site,
 * such as the identity provider.
 */
export type RequestKind = 'change' | 'read' | 'arrival';

export type ContextFactory = (
  request: FastifyRequest,
  reply: FastifyReply,
  credentials: Credentials,
  kind: RequestKind,
) => Promise<RequestContext>;

export interface HttpContextOptions extends IdentifyingOptions {
  /** The URL that browsers see. If it is `undefined`, it is that of this port on loopback. See {@link originsOf}. */
  readonly publicUrl: URL | undefined;
  /** Other origins whose pages count as the gateway's own. */
  readonly allowedOrigins?: readonly string[];
  readonly port: () => number;
  /** False until the database is migrated and the master key is verified. */
  readonly started: () => boolean;
  readonly securityLog?: Pick<SecurityLog, 'refused'>;
}

/**
 * Reads the credentials of a request and returns its caller. For a state-changing request a cookie is accepted only if the
 * browser sends the gateway's own origin (OWASP: CSRF, verifying the origin).
 */
export function createContextFactory(options: HttpContextOptions): ContextFactory {
  const read = contextReader(options);
  return async (request, ...surface) => {
    const clientAddress = clientAddressOf(request);
    try {
      return await read(clientAddress, request, ...surface);
    } catch (thrown) {
      const operation = `${request.method} ${request.routeOptions.url ?? ''}`;
      const nobody = { principal: undefined, clientAddress, requestId: request.id };
      refusalNote(options, nobody)(isLucarneError(thrown) ? thrown : undefined, operation);
      throw thrown;
    }
  };
}

/** Reports refusals of a request's operations to the security log. */
export function refusalNote(
  { securityLog }: Pick<HttpContextOptions, 'securityLog'>,
  caller: Pick<RequestContext, 'principal' | 'clientAddress' | 'requestId'>,
): NonNullable<RequestContext['refused']> {
  return (error, operation) => securityLog?.refused(error, { ...caller, operation });
}

type ContextReader = (
  clientAddress: string,
  ...request: Parameters<ContextFactory>
) => ReturnType<ContextFactory>;

function contextReader(options: HttpContextOptions): ContextReader {
  return async (clientAddress, request, reply, credentials, kind) => {
    requireStarted(options);
    const cookieName = cookieNameOf(options.publicUrl);
    const attemptName = `${cookieName}-sign-in`;
    const deviceName = `${cookieName}-device`;
    const token =
      credentials === 'none' || credentials === 'api_key' ? undefined : request.cookies[cookieName];
    const bearer =
      credentials === 'api_key' || credentials === 'any'
        ? bearerOf(request.headers.authorization)
        : undefined;
    const usesCookie = token !== undefined && bearer === undefined;
    // A sign-in has no cookie yet, and a page of another origin must not start one. For GraphQL, such a page gets no cookie.
    const foreign = kind === 'change' ? foreignPage(request.headers, options) : undefined;
    if (foreign && (usesCookie || credentials === 'session')) throw foreign;
    const foreignRead = kind === 'read' && usesCookie ? foreignReader(request.headers, options) : undefined;
    if (foreignRead) throw foreignRead;
    const cookieOf = { publicUrl: options.publicUrl, refused: foreign };

    const presented = {
      ...(bearer === undefined ? {} : { bearer }),
      ...(usesCookie ? { sessionToken: token } : {}),
    };
    const principal = await identifyClient(options, clientAddress, presented);
    const caller = { principal, requestId: request.id, clientAddress };
    const userAgent = request.headers['user-agent']?.slice(0, MAX_USER_AGENT_CHARACTERS);
    return {
      ...caller,
      callerNow: () => options.authenticator.identify(presented),
      userAgent,
      refused: refusalNote(options, caller),
      sessionCookie: answerCookie(reply, token, cookieName, cookieOf),
      attemptCookie: answerCookie(
        reply,
        credentials === 'session' || credentials === 'any' ? request.cookies[attemptName] : undefined,
        attemptName,
        cookieOf,
        ATTEMPT_SECONDS,
      ),
      deviceCookie: answerCookie(
        reply,
        credentials === 'session' || credentials === 'any' ? request.cookies[deviceName] : undefined,
        deviceName,
        cookieOf,
        DEVICE_SECONDS,
      ),
    };
  };
}

/** Refuses every request until the gateway has started: nothing may be written under a wrong master key. */
export function requireStarted({ started }: Pick<HttpContextOptions, 'started'>): void {
  if (!started()) throw unavailable('The gateway is starting.', { retryAfterSeconds: 1 });
}

export interface OriginHeaders {
  readonly origin?: string | undefined;
  readonly 'sec-fetch-site'?: string | string[] | undefined;
}

type Origins = Pick<HttpContextOptions, 'publicUrl' | 'allowedOrigins' | 'port'>;

/** Refuses a request from a page of another origin. */
export function requireOwnOrigin(headers: OriginHeaders, options: Origins): void {
  const foreign = foreignPage(headers, options);
  if (foreign) throw foreign;
}

/** The error for a page of another origin. A browser must send `Origin`; other clients need not. */
function foreignPage({ origin, ...headers }: OriginHeaders, options: Origins): LucarneError | undefined {
  if (origin === undefined) {
    if (headers['sec-fetch-site'] === undefined) return undefined;
    return originRefused('A browser must send the Origin of its page with this request.');
  }
  const own = originsOf(options.publicUrl ?? new URL(`http://localhost:${options.port()}`));
  return own.includes(origin) || options.allowedOrigins?.includes(origin)
    ? undefined
    : originRefused('This request must come from the portal’s own pages.');
}

/**
 * The error for a read that a page of another origin started. Browsers send cookies with its links, and pages of the same site
 * also with its pictures. A link of an allowed origin cannot be told from any other.
 */
function foreignReader(
  { origin, 'sec-fetch-site': site }: OriginHeaders,
  options: Origins,
): LucarneError | undefined {
  if (site === undefined || site === 'same-origin' || site === 'none') return undefined;
  if (origin !== undefined) return foreignPage({ origin }, options);
  if (options.allowedOrigins?.length) return undefined;
  return originRefused('Open this address from the portal.');
}

const originRefused = (message: string) => forbidden(message, { denial: { event: 'origin.refused' } });

export function cookieNameOf(publicUrl: URL | undefined): string {
  return publicUrl?.protocol === 'https:' ? '__Host-lucarne' : 'lucarne';
}

export function bearerOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const match = /^Bearer +([^\s]+) *$/i.exec(header);
  if (!match?.[1]) throw unauthenticated('The Authorization header must be “Bearer” followed by an API key.');
  return match[1];
}

const MAX_USER_AGENT_CHARACTERS = 256;
/** The lifetime of a sign-in attempt. */
const ATTEMPT_SECONDS = 600;
/** How long a browser is recognized: half a year. */
const DEVICE_SECONDS = 180 * 24 * 60 * 60;

function answerCookie(
  reply: FastifyReply,
  token: string | undefined,
  name: string,
  { publicUrl, refused }: { readonly publicUrl: URL | undefined; readonly refused: LucarneError | undefined },
  maxAge?: number,
): SessionCookie {
  const attributes = {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: publicUrl?.protocol === 'https:',
    ...(maxAge === undefined ? {} : { maxAge }),
  } as const;
  return {
    token,
    refused,
    set: (value) => void reply.setCookie(name, value, attributes),
    clear: () => void reply.clearCookie(name, attributes),
  };
}

interface Members {
  [member: symbol]: unknown;
}

/**
 * A value that belongs to a request, kept as a member of it. In a `WeakMap`, V8 counts values as used until the next full garbage
 * collection; a value that leads to its request would keep the request and its answer in memory until then.
 */
export class OfRequest<Value> {
  readonly #member = Symbol();

  get(request: FastifyRequest): Value | undefined {
    return (request as FastifyRequest & Members)[this.#member] as Value | undefined;
  }

  set(request: FastifyRequest, value: Value): void {
    (request as FastifyRequest & Members)[this.#member] = value;
  }
}
