import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApolloServer, type ApolloServerOptions, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayExecutionResult, GatewayExecutor } from '@apollo/server-gateway-interface';
import { execute, type DocumentNode, type GraphQLSchema } from 'graphql';
import type { CompiledQuery } from 'graphql-jit';
import { isLucarneError } from '../../platform/kernel/errors.js';
import { JsonOutOfBounds, parseForeignJson } from '../../platform/kernel/encoding/foreign-json.js';
import { isJsonObject } from '../../platform/kernel/encoding/json.js';
import type { Log } from '../../platform/kernel/log.js';
import type { RequestContext } from '../../domain/access/index.js';
import type { Admission } from './limits/admission.js';
import { createBoundedCache } from './limits/bounded-cache.js';
import { checkVariables, MAX_VARIABLES_DEPTH } from './limits/check-variables.js';
import { forCaller } from './caller-scope.js';
import { compileClientQuery } from './compile-query.js';
import { formatGraphqlError, logFailure, lucarneErrorIn, refusal } from './error-table.js';
import { editorPage, EDITOR_PAGE_POLICY } from './editor-page.js';
import type { ContextFactory } from './http-context.js';
import { DOCUMENT_LIMITS } from './limits/document-bounds.js';
import { checkCost } from './limits/limits.js';
import { withGraphqlErrors } from './operation.js';
import { rootFieldOf } from './root-field.js';

export interface GraphqlOptions {
  readonly schema: GraphQLSchema;
  readonly contextFor: ContextFactory;
  readonly admission: Admission;
  readonly log: Log;
  /** Serves the editor and allows introspection. */
  readonly development: boolean;
}

export const GRAPHQL_PATH = '/graphql';

/** Serves GraphQL over HTTP on `/graphql` (GraphQL over HTTP specification). */
export async function registerGraphql(app: FastifyInstance, options: GraphqlOptions): Promise<void> {
  const apollo = createApollo(options);
  await apollo.start();
  app.addHook('onClose', () => apollo.stop());

  const handler = fastifyApolloHandler(apollo, {
    context: async (request, reply) => {
      try {
        void reply.header('cache-control', 'no-store');
        const context = await options.contextFor(request, reply, 'any', request.method === 'POST');
        const { query, operationName } = documentOf(request);
        if (query !== undefined) options.admission.admit(context, query, operationName);
        return context;
      } catch (thrown) {
        logFailure(options.log, request.id, thrown);
        throw isLucarneError(thrown) ? refusal(thrown) : thrown;
      }
    },
  });
  const editor = options.development ? editorPage(options.schema) : undefined;
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    if (editor !== undefined && request.method === 'GET' && prefersHtml(request.headers.accept)) {
      return reply
        .type('text/html; charset=utf-8')
        .header('cache-control', 'no-cache')
        .header('content-security-policy', EDITOR_PAGE_POLICY)
        .send(editor);
    }
    return (handler as (this: FastifyInstance, ...call: unknown[]) => unknown).call(app, request, reply);
  };
  await app.register((scope, _, done) => {
    acceptBoundedJson(scope);
    scope.route({
      method: ['GET', 'POST'],
      url: GRAPHQL_PATH,
      handler: answer,
      errorHandler: answerOutOfBounds,
    });
    done();
  });
}

/** The request is an object, and the variables in it are another one. */
const MAX_BODY_DEPTH = MAX_VARIABLES_DEPTH + 2;

/** Fastify's own parser has no bound but the body's length. */
function acceptBoundedJson(scope: FastifyInstance): void {
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_, text, done) => {
    try {
      done(null, parseForeignJson(text as string, { maxDepth: MAX_BODY_DEPTH }));
    } catch (thrown) {
      const error = thrown as Error;
      done(error instanceof JsonOutOfBounds ? error : Object.assign(error, { statusCode: 400 }));
    }
  });
}

function answerOutOfBounds(error: unknown, _request: FastifyRequest, reply: FastifyReply): unknown {
  if (!(error instanceof JsonOutOfBounds)) throw error;
  const message = `The request has too many values, or is nested too deeply: variables may have ${MAX_VARIABLES_DEPTH} levels.`;
  return reply.status(400).send({ errors: [{ message, extensions: { code: 'BAD_USER_INPUT' } }] });
}

function createApollo({ schema, log, development }: GraphqlOptions): ApolloServer<RequestContext> {
  return new ApolloServer<RequestContext>({
    // Apollo parses, validates and formats; graphql-jit executes compiled queries.
    gateway: {
      load: () => Promise.resolve({ executor: compilingExecutor(schema) }),
      onSchemaLoadOrUpdate(callback) {
        callback({ apiSchema: schema, coreSupergraphSdl: '' });
        return () => undefined;
      },
      stop: () => Promise.resolve(),
    },
    introspection: development,
    hideSchemaDetailsFromClientErrors: !development,
    includeStacktraceInErrorResponses: false,
    allowBatchedHttpRequests: false,
    persistedQueries: false,
    csrfPrevention: true,
    parseOptions: { maxLexicalTokens: DOCUMENT_LIMITS.tokens },
    documentStore: createDocumentStore(),
    formatError: formatGraphqlError,
    // No shared cache may store an answer, and the plugin for it would wrap every resolver.
    plugins: [
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginCacheControlDisabled(),
      beforeExecution(schema, development),
      failureLog(log),
    ],
    stopOnTerminationSignals: false,
    nodeEnv: development ? 'development' : 'production',
  });
}

function beforeExecution(schema: GraphQLSchema, development: boolean): ApolloServerPlugin<RequestContext> {
  return {
    requestDidStart: () =>
      Promise.resolve({
        didResolveOperation({ document, operation, request }) {
          try {
            if (operation)
              checkVariables(schema, operation, request.variables ?? {}, { hideSuggestions: !development });
            checkCost(schema, document, request.variables ?? {}, request.operationName);
          } catch (thrown) {
            throw isLucarneError(thrown) ? refusal(thrown) : thrown;
          }
          return Promise.resolve();
        },
      }),
  };
}

function failureLog(log: Log): ApolloServerPlugin<RequestContext> {
  return {
    requestDidStart: () =>
      Promise.resolve({
        didEncounterErrors({ errors, contextValue, document, operation }) {
          for (const error of errors) {
            logFailure(log, contextValue.requestId, error);
            const field = document ? rootFieldOf(error, document, operation) : 'graphql';
            contextValue.refused?.(lucarneErrorIn(error), field);
          }
          return Promise.resolve();
        },
      }),
  };
}

/** The text and the operation of a request, as Apollo reads them. Malformed ones are left to Apollo. */
function documentOf({ method, body, query }: FastifyRequest): { query?: string; operationName?: string } {
  const parameters = method === 'GET' ? query : body;
  if (!isJsonObject(parameters)) return {};
  const { query: text, operationName } = parameters;
  return {
    ...(typeof text === 'string' ? { query: text } : {}),
    ...(typeof operationName === 'string' ? { operationName } : {}),
  };
}

// Measured on documents of this schema: a parsed document takes about 90 bytes for each character of its text, a
// compiled query 130 to 250.
const DOCUMENT_BYTES_PER_CHARACTER = 100;
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
const COMPILED_BYTES_PER_CHARACTER = 250;
const MAX_COMPILED_BYTES = 32 * 1024 * 1024;
const MAX_SEEN_BYTES = 256 * 1024;

/** The validated documents that Apollo keeps. */
function createDocumentStore(): NonNullable<ApolloServerOptions<RequestContext>['documentStore']> {
  const documents = createBoundedCache<DocumentNode>(MAX_DOCUMENT_BYTES);
  return {
    get: (key) => Promise.resolve(documents.get(key)),
    set(key, document) {
      documents.set(key, document, textLengthOf(document) * DOCUMENT_BYTES_PER_CHARACTER);
      return Promise.resolve();
    },
    delete: (key) => Promise.resolve(documents.delete(key)),
  };
}

const textLengthOf = ({ loc }: DocumentNode) => loc?.source.body.length ?? 0;

/**
 * Compiles an operation when it comes for the second time: clients repeat their own queries, and a query that comes
 * only once is not worth a compilation.
 */
function compilingExecutor(schema: GraphQLSchema): GatewayExecutor {
  const compiledQueries = createBoundedCache<CompiledQuery>(MAX_COMPILED_BYTES);
  const seen = createBoundedCache<true>(MAX_SEEN_BYTES);
  return async ({ document, queryHash, request, context }) => {
    const variables = request.variables ?? {};
    // The requested name: the resolved one is null when no operation has it, and would run the only operation.
    const { operationName } = request;
    const key = JSON.stringify([queryHash, operationName ?? null]);
    const caller = context as RequestContext;
    let compiled = compiledQueries.get(key);
    if (!compiled && seen.get(key)) {
      compiled = compileClientQuery(schema, document, operationName);
      if (compiled) {
        compiledQueries.set(key, compiled, textLengthOf(document) * COMPILED_BYTES_PER_CHARACTER);
      }
    }
    seen.set(key, true, 2 * key.length);
    if (compiled) {
      const { query } = compiled;
      const result = await forCaller(caller, () => query({}, caller, variables));
      return withGraphqlErrors(result) as GatewayExecutionResult;
    }
    const uncompiled = {
      ...{ schema, document, contextValue: caller, variableValues: variables },
      operationName: operationName ?? null,
    };
    const result = (await forCaller(caller, () => execute(uncompiled))) as GatewayExecutionResult;
    // Executing takes far longer than when it is compiled: a long answer is written in a separate turn.
    await nextTurn();
    return result;
  };
}

function prefersHtml(accept: string | undefined): boolean {
  return accept?.split(',')[0]?.trim().startsWith('text/html') ?? false;
}
