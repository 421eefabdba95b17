import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { GRAPHQL_PATH, type Admission, type ContextFactory, type LineFields } from '../graphql/index.js';
import { createQuota } from '../../platform/kernel/bounds/quota.js';
import { MAX_DOWNLOADS, prepareRoute } from './adapter.js';
import { corsHeaders } from './cors.js';
import type { FileBytes } from './file-answer.js';
import { acceptJsonBodiesOnly } from './json-body.js';
import { openApiDocument, printOpenApi } from './reference/openapi.js';
import { operationsRoutes, PATHS_WITH_A_SLASH } from './reference/operations-reference.js';
import { referencePage, REFERENCE_PAGE_POLICY, type ReferenceDocument } from './reference/reference-page.js';
import { sendRefusal } from './refusal.js';
import { routes } from './routes.js';
import { answerUnmatched, type KnownPaths } from './unmatched.js';

export interface RestOptions {
  readonly schema: GraphQLSchema;
  readonly contextFor: ContextFactory;
  /** The budget of clients without credentials, which GraphQL shares. */
  readonly admission: Pick<Admission, 'spend' | 'refusal'>;
  /** The root fields whose pages can be read as lines. */
  readonly lineFields?: LineFields;
  readonly fileBytes: FileBytes;
  /** Origins whose pages may read the answers of every route. */
  readonly allowedOrigins?: readonly string[];
}

/**
 * Answers requests that are refused before routing, and failures in a route. Hooks do not run for a path that cannot be
 * routed, so the headers for pages of other origins are set here.
 */
export function refuseFor(allowedOrigins: readonly string[]) {
  const setCorsHeaders = corsHeaders(routes, allowedOrigins);
  return (thrown: Error, request: FastifyRequest, reply: FastifyReply): void => {
    setCorsHeaders(request, reply);
    sendRefusal(thrown, request, reply);
  };
}

/**
 * Serves every REST route, `/openapi.json` and `/docs`, and answers requests that no route of the service accepts. A document
 * that does not fit the schema throws here, at startup.
 */
export async function registerRest(app: FastifyInstance, options: RestOptions): Promise<void> {
  const downloads = createQuota(MAX_DOWNLOADS);
  const prepared = routes.map((route) => prepareRoute(route, { ...options, downloads }));
  const setCorsHeaders = corsHeaders(routes, options.allowedOrigins ?? []);
  app.addHook('onRequest', (request, reply, done) => {
    setCorsHeaders(request, reply);
    done();
  });
  answerUnmatched(app, knownPaths());
  await app.register((rest, _, done) => {
    acceptJsonBodiesOnly(rest);
    rest.setErrorHandler((thrown, request, reply) => {
      sendRefusal(thrown, request, reply);
    });
    for (const serve of prepared) serve(rest);
    serveReference(rest);
    done();
  });
}

function serveReference(app: FastifyInstance): void {
  const document = printOpenApi();
  const page = referencePage(openApiDocument() as unknown as ReferenceDocument);
  app.get('/openapi.json', (_, reply) =>
    reply.type('application/json; charset=utf-8').header('cache-control', 'no-cache').send(document),
  );
  app.get('/docs', (_, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-cache')
      .header('content-security-policy', REFERENCE_PAGE_POLICY)
      .send(page),
  );
}

function knownPaths(): KnownPaths {
  const known = new Map<string, string[]>([[GRAPHQL_PATH, ['GET', 'POST']]]);
  for (const path of [...operationsRoutes.map(({ path }) => path), ...PATHS_WITH_A_SLASH])
    known.set(path, ['GET']);
  for (const { path, method } of routes) known.set(path, [...(known.get(path) ?? []), method]);
  return known;
}
