import type { FastifyInstance } from 'fastify';
import { fileURLToPath } from 'node:url';
import { createAuthenticator } from '../domain/access/index.js';
import {
  createOpenIdProvider,
  createSecurityLog,
  type EmbeddedDemo,
  type OpenIdProvider,
} from '../domain/organizations/index.js';
import { readReportBytes } from '../domain/reports/index.js';
import { transactionLines } from '../domain/transactions/index.js';
import {
  createAdmission,
  createContextFactory,
  registerGraphql,
  registerGraphqlWebSocket,
} from '../edge/graphql/index.js';
import { registerPortal } from '../edge/portal/index.js';
import { type FileBytes, refuseFor, registerRest } from '../edge/rest/index.js';
import { actingFor, type Foundation, piecewise } from '../platform/database/index.js';
import { createHttpServer, type Phase, registerHealth } from '../platform/http/index.js';
import { unauthenticated } from '../platform/kernel/errors.js';
import { packageRoot } from '../platform/kernel/package.js';
import type { Features } from './features.js';
import { createMailer } from './mailer.js';
import type { Platform } from './platform.js';
import { createSchema } from './schemas/schema.js';

/** The HTTP server with health and metrics: it listens while the database is still being prepared. */
export async function createServer(
  { configuration, foundation, log, registry }: Platform,
  phase: () => Phase,
): Promise<FastifyInstance> {
  const server = await createHttpServer({
    log,
    registry,
    trustProxy: configuration.trustProxy,
    https: configuration.publicUrl?.protocol === 'https:',
    refuse: refuseFor(configuration.allowedOrigins),
  });
  const { database, clock } = foundation;
  registerHealth(server, { database, clock, registry, log, phase });
  return server;
}

/** GraphQL over HTTP and WebSockets, and REST. */
export async function registerApi(
  server: FastifyInstance,
  platform: Platform,
  { fulfilment, reporting, checkDesk, relayer }: Features,
  {
    isStarted,
    demo,
    parts,
  }: {
    readonly isStarted: () => boolean;
    readonly demo: EmbeddedDemo;
    readonly parts: AsyncDisposableStack;
  },
): Promise<void> {
  const { configuration, foundation, log, pool } = platform;
  const http = {
    authenticator: parts.use(createAuthenticator(foundation)),
    admission: createAdmission(foundation),
    publicUrl: configuration.publicUrl,
    allowedOrigins: configuration.allowedOrigins,
    port: () => portOf(server),
    started: isStarted,
    trustProxy: configuration.trustProxy,
    securityLog: parts.use(createSecurityLog(foundation)),
  };
  const organizations = {
    openIdProvider: createConfiguredProvider(platform, server),
    demo,
    origin: () => configuration.publicUrl?.origin ?? urlOf(server),
    mailer: configuration.smtp && createMailer(configuration.smtp),
  };
  const relayDesk = relayer.desk;
  const graphql = {
    schema: createSchema(foundation, {
      ...{ fulfilment, pool, reporting, checkDesk, relayDesk, organizations },
      auditorKeyExport: configuration.auditorKeyExport,
    }),
    contextFor: createContextFactory(http),
    admission: http.admission,
    lineFields: { transactions: transactionLines(foundation) },
    log,
    development: !configuration.production,
  };
  await registerGraphql(server, graphql);
  registerGraphqlWebSocket(server, { ...graphql, ...http });
  await registerPortal(server, { directory: fileURLToPath(new URL('dist/portal/public', packageRoot)) });
  await registerRest(server, {
    ...graphql,
    fileBytes: reportBytes(foundation),
    allowedOrigins: configuration.allowedOrigins,
  });
}

function createConfiguredProvider(
  { configuration, foundation, log }: Platform,
  server: FastifyInstance,
): OpenIdProvider | undefined {
  const { oidc, publicUrl } = configuration;
  if (!oidc) return undefined;
  const redirectUri = () => `${publicUrl?.origin ?? urlOf(server)}/auth/oidc/callback`;
  return createOpenIdProvider({ ...oidc, redirectUri, clock: foundation.clock, log });
}

/** REST sends only files of reports. An operation has checked before that the caller may read the report. */
function reportBytes(foundation: Foundation): FileBytes {
  return ({ principal }, id, range) => {
    if (!principal) throw unauthenticated();
    const { organizationId } = principal;
    return piecewise(
      (work) => actingFor([organizationId], work),
      () => readReportBytes(foundation, organizationId, id, range),
    );
  };
}

function portOf(server: FastifyInstance): number {
  const address = server.server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Where the server listens; empty before it does. */
export function urlOf(server: FastifyInstance): string {
  const address = server.server.address();
  if (typeof address !== 'object' || address === null) return '';
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
