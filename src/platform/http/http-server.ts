import { randomFillSync } from 'node:crypto';
import fastifyCookie from '@fastify/cookie';
import {
  fastify,
  LogController,
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { v7 } from 'uuid';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { ServerStopping } from '../kernel/errors.js';
import { withoutCapabilities } from '../kernel/ids.js';
import { boundConnections } from './client-connections.js';
import { createHttpMetrics } from './http-metrics.js';
import { securityHeaders } from './security-headers.js';
import { boundUnreadAnswers } from './unread-answers.js';
import { discardBody } from './unread-body.js';

export interface HttpServerOptions {
  readonly log: Logger;
  readonly registry: Registry;
  readonly trustProxy: boolean | string | ((address: string, hop: number) => boolean);
  /** Whether browsers reach the gateway by https. */
  readonly https?: boolean;
  /** A connection over which nothing moves for so long is closed; 2 minutes by default. */
  readonly silenceMs?: number;
  /** Connections that a client may have open; 2,000 by default. Not counted where a proxy connects for all clients. */
  readonly maxConnectionsPerClient?: number;
  /**
   * Answers requests that are refused before routing, such as a path that cannot be decoded or a request while the server
   * stops, and failures in any route.
   */
  readonly refuse?: (error: Error, request: FastifyRequest, reply: FastifyReply) => void;
}

const BODY_BYTES = 64 * 1024;
const UNREAD_BYTES = 64 * 1024 * 1024;
/** Longer than any answer takes that waits for something, and than idle connections are kept. */
const SILENCE_MS = 120_000;
/** An office can share an address, and a browser opens 6 connections. */
const MAX_CONNECTIONS_PER_CLIENT = 2_000;
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** The HTTP server with what every surface shares: request ids, the body limit, one log line and one metric a request. */
export async function createHttpServer(options: HttpServerOptions): Promise<FastifyInstance> {
  // Fastify is generic in its logger; every other room knows the plain instance.
  const log: FastifyBaseLogger = options.log;
  const { refuse } = options;
  const headers = securityHeaders({ https: options.https ?? false });
  const metrics = createHttpMetrics(options.registry);
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    bodyLimit: BODY_BYTES,
    trustProxy: options.trustProxy,
    requestIdHeader: false,
    ...(refuse ? { frameworkErrors: unrouted(refuse, headers) } : {}),
    genReqId: ({ headers }) => {
      const requestId = headers['x-request-id'];
      return typeof requestId === 'string' && REQUEST_ID.test(requestId) ? requestId : newRequestId();
    },
    // A closed keep-alive connection must not hold up a stop.
    forceCloseConnections: 'idle',
    requestTimeout: 60_000,
    // Also while an answer waits to be read.
    connectionTimeout: options.silenceMs ?? SILENCE_MS,
    keepAliveTimeout: 72_000,
    // Fastify's own answer passes no hook: it would have no reason, and no page of another origin could read it.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 256, ignoreTrailingSlash: false },
    ajv: {
      customOptions: { removeAdditional: false, coerceTypes: false, useDefaults: false, allErrors: false },
    },
  });
  if (refuse) app.setErrorHandler<FastifyError>(refuse);
  await app.register(fastifyCookie);

  let isStopping = false;
  app.addHook('preClose', (done) => {
    isStopping = true;
    done();
  });
  // The hooks are synchronous, because every request runs them.
  app.addHook('onRequest', (request, reply, done) => {
    setHeaders(request, reply, headers);
    if (!isStopping) done();
    else if (refuse) refuse(new ServerStopping(), request, reply);
    else void reply.code(503).send();
  });
  if (options.trustProxy === false)
    boundConnections(app.server, options.maxConnectionsPerClient ?? MAX_CONNECTIONS_PER_CLIENT);
  boundUnreadAnswers(app, UNREAD_BYTES);
  // Where the connection closes after the answer, as after a body that is too large.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (reply.getHeader('connection') !== 'close') done(null, payload);
    else void discardBody(request.raw).then(() => done(null, payload));
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    const seconds = reply.elapsedTime / 1000;
    const [path = ''] = request.url.split('?');
    metrics.answered({ route, method: request.method }, reply.statusCode, seconds);
    // The path without its query, which can name accounts, and without what only its holder may know.
    request.log.info(
      { method: request.method, path: withoutCapabilities(path), status: reply.statusCode, seconds },
      'request',
    );
    done();
  });
  return app;
}

const RANDOM_BYTES = 16;
const random = Buffer.alloc(256 * RANDOM_BYTES);
let randomAt = random.length;

/** A UUID of version 7. Random bytes are generated for many at a time. */
function newRequestId(): string {
  if (randomAt === random.length) {
    randomFillSync(random);
    randomAt = 0;
  }
  randomAt += RANDOM_BYTES;
  return v7({ random: random.subarray(randomAt - RANDOM_BYTES, randomAt) });
}

type Headers = ReturnType<typeof securityHeaders>;

function setHeaders(request: FastifyRequest, reply: FastifyReply, headers: Headers): void {
  void reply.headers({ ...headers, 'x-request-id': request.id });
}

// What cannot be routed passes no hook.
function unrouted(refuse: NonNullable<HttpServerOptions['refuse']>, headers: Headers): typeof refuse {
  return (error, request, reply) => {
    setHeaders(request, reply, headers);
    refuse(error, request, reply);
  };
}
