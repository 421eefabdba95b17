import { ApolloServer, type ApolloServerOptions, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayExecutionResult, GatewayExecutor } from '@apollo/server-gateway-interface';
import { execute, type DocumentNode, type ExecutionResult, type GraphQLSchema } from 'graphql';
import { ownTurn } from '../../platform/jobs/index.js';
import { BoundedMap } from '../../platform/kernel/bounds/bounded-map.js';
import { isLucarneError } from '../../platform/kernel/errors.js';
import { JsonOutOfBounds, parseForeignJson } from '../../platform/kernel/encoding/foreign-json.js';
import { isJsonObject } from '../../platform/kernel/encoding/json.js';
import type { Log } from '../../platform/kernel/log.js';
import type { RequestContext } from '../../domain/access/index.js';
import type { Admission } from './limits/admission.js';
import { checkVariables, MAX_VARIABLES_DEPTH } from './limits/check-variables.js';
import { forCaller } from './caller-scope.js';
import { formatGraphqlError, logFailure, lucarneErrorIn, refusal } from './error-table.js';
import { editorPage, EDITOR_PAGE_POLICY } from './editor-page.js';
import type { ContextFactory } from './http-context.js';
import { createKnownOperations, type KnownOperations } from './known-operations.js';
import { createKnownRequests } from './known-requests.js';
import { DOCUMENT_LIMITS, MAX_VALIDATION_ERRORS } from './limits/document-bounds.js';
import type { LineFields } from './lines/line-page.js';
import { checkCost, documentBytes } from './limits/limits.js';
import { withGraphqlErrors } from './operation.js';
import { rootFieldOf } from './root-field.js';

export interface GraphqlOptions {
  readonly schema: GraphQLSchema;
  readonly contextFor: ContextFactory;
  readonly admission: Admission;
  readonly log: Log;
  /** The root fields whose pages can be read as lines. */
  readonly lineFields?: LineFields;
  /** Serves the editor and allows introspection. */
  readonly development: boolean;
}

export const GRAPHQL_PATH = '/graphql';

/** Serves GraphQL over HTTP on `/graphql` (GraphQL over HTTP specification). */
export async function registerGraphql(app: FastifyInstance, options: GraphqlOptions): Promise<void> {
  const operations = createKnownOperations(options.schema, options.lineFields ?? {});
  const apollo = createApollo(options, operations);
  await apollo.start();
  app.addHook('onClose', () => apollo.stop());

  const contextOf = async (request: FastifyRequest, reply: FastifyReply) => {
    try {
      void reply.header('cache-control', 'no-store');
      const context = await options.contextFor(
        request,
        reply,
        'any',
        request.method === 'POST' ? 'change' : 'read',
      );
      const { query, operationName } = documentOf(request);
      if (query !== undefined) options.admission.admit(context, query, operationName);
      return context;
    } catch (thrown) {
      logFailure(options.log, request.id, thrown);
      throw isLucarneError(thrown) ? refusal(thrown) : thrown;
    }
  };
  const known = createKnownRequests({ ...options, operations, contextOf });
  const throughApollo = fastifyApolloHandler(apollo, {
    context: async (request, reply): Promise<ApolloContext> => {
      const { context, result } = known.begun(request) ?? { context: contextOf(request, reply) };
      return { ...(await context), [EXECUTED]: result };
    },
  }) as (this: FastifyInstance, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
  const editor = options.development ? editorPage(options.schema) : undefined;
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    if (editor !== undefined && request.method === 'GET' && prefersHtml(request.headers.accept)) {
      return reply
        .type('text/html; charset=utf-8')
        .header('cache-control', 'no-cache')
        .header('content-security-policy', EDITOR_PAGE_POLICY)
        .send(editor);
    }
    const answered = await known.answer(request, reply);
    if (answered !== undefined) return answered;
    // Apollo's integration builds a URL from this header.
    if (!URL.canParse(request.url, `http://${request.hostname}`))
      throw new UnreadableRequest('The header Host is not valid.');
    const body = await throughApollo.call(app, request, reply);
    known.learn(request, reply);
    return body;
  };
  await app.register((scope, _, done) => {
    acceptBoundedJson(scope);
    scope.route({
      method: ['GET', 'POST'],
      url: GRAPHQL_PATH,
      handler: answer,
      errorHandler: answerUnreadable,
    });
    done();
  });
}

/** The request is one object, and its variables are a second one. */
const MAX_BODY_DEPTH = MAX_VARIABLES_DEPTH + 2;
const OUT_OF_BOUNDS = `The request has too many values, or is nested too deeply: variables may have ${MAX_VARIABLES_DEPTH} levels.`;

/** Fastify's own parser limits only the length of a body. */
function acceptBoundedJson(scope: FastifyInstance): void {
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_, text, done) => {
    try {
      done(null, parseForeignJson(text as string, { maxDepth: MAX_BODY_DEPTH }));
    } catch (thrown) {
      done(
        new UnreadableRequest(
          thrown instanceof JsonOutOfBounds ? OUT_OF_BOUNDS : 'The body is not valid JSON.',
        ),
      );
    }
  });
}

/** Replaces the parser's error for an invalid body, which quotes the body and could contain a password. */
class UnreadableRequest extends Error {
  override readonly name = 'UnreadableRequest';
}

function answerUnreadable(error: unknown, _request: FastifyRequest, reply: FastifyReply): unknown {
  if (!(error instanceof UnreadableRequest)) throw error;
  const { message } = error;
  return reply.status(400).send({ errors: [{ message, extensions: { code: 'BAD_USER_INPUT' } }] });
}

/** The result of an operation that ran before Apollo received its request. Apollo copies context members with this symbol. */
const EXECUTED = Symbol('executed');

interface ApolloContext extends RequestContext {
  readonly [EXECUTED]: Promise<ExecutionResult> | undefined;
}

function createApollo(
  { schema, admission, log, development }: GraphqlOptions,
  operations: KnownOperations,
): ApolloServer<ApolloContext> {
  return new ApolloServer<ApolloContext>({
    // Apollo parses, validates and formats; graphql-jit executes compiled queries.
    gateway: {
      load: () => Promise.resolve({ executor: knowingExecutor(schema, operations) }),
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
    validationOptions: { hideSuggestions: !development, maxErrors: MAX_VALIDATION_ERRORS },
    documentStore: createDocumentStore(),
    formatError: formatGraphqlError,
    // Answers must not be stored by shared caches, and the plugin for cache control would wrap every resolver.
    plugins: [
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginCacheControlDisabled(),
      beforeExecution(schema, admission, development),
      failureLog(log),
    ],
    stopOnTerminationSignals: false,
    nodeEnv: development ? 'development' : 'production',
  });
}

function beforeExecution(
  schema: GraphQLSchema,
  admission: Admission,
  development: boolean,
): ApolloServerPlugin<ApolloContext> {
  return {
    requestDidStart: () =>
      Promise.resolve({
        didResolveOperation({ document, operation, request, source }) {
          admission.validated(source, request.operationName);
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

function failureLog(log: Log): ApolloServerPlugin<ApolloContext> {
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

/**
 * The document and the operation name of a request, as Apollo reads them. Apollo refuses malformed requests. Fastify's own
 * parser reads escapes differently, so admission would see another document than the executed one.
 */
function documentOf({ method, body, url }: FastifyRequest): { query?: string; operationName?: string } {
  const parameters = method === 'POST' ? body : Object.fromEntries(new URL(url, ANY_HOST).searchParams);
  if (!isJsonObject(parameters)) return {};
  const { query: text, operationName } = parameters;
  return {
    ...(typeof text === 'string' ? { query: text } : {}),
    ...(typeof operationName === 'string' ? { operationName } : {}),
  };
}

const ANY_HOST = 'http://localhost';

// Measured on documents of this schema: a parsed document takes about 90 bytes for each character of its text.
const DOCUMENT_BYTES_PER_CHARACTER = 100;
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

/** The validated documents that Apollo keeps. */
function createDocumentStore(): NonNullable<ApolloServerOptions<RequestContext>['documentStore']> {
  const bytesOf = ({ loc }: DocumentNode) =>
    documentBytes(loc?.source.body.length ?? 0, DOCUMENT_BYTES_PER_CHARACTER);
  const documents = new BoundedMap<string, DocumentNode>(MAX_DOCUMENT_BYTES, bytesOf);
  return {
    get: (key) => Promise.resolve(documents.get(key)),
    set(key, document) {
      documents.set(key, document);
      return Promise.resolve();
    },
    delete: (key) => Promise.resolve(documents.delete(key)),
  };
}

/** Executes the operation of a request to Apollo, unless it was executed before. */
function knowingExecutor(schema: GraphQLSchema, operations: KnownOperations): GatewayExecutor {
  return async ({ document, queryHash, source, request, context }) => {
    const caller = context as ApolloContext;
    const { [EXECUTED]: executed } = caller;
    if (executed) return withGraphqlErrors(await executed) as GatewayExecutionResult;
    const variables = request.variables ?? {};
    // Use the requested name. The resolved name is null for an unknown one, and null selects the only operation.
    const { operationName } = request;
    const known = operations.meet({ text: source, textHash: queryHash, document, operationName });
    if (known) {
      const result = await forCaller(caller, () => known.run({}, caller, variables));
      return withGraphqlErrors(result) as GatewayExecutionResult;
    }
    const uncompiled = {
      ...{ schema, document, contextValue: caller, variableValues: variables },
      operationName: operationName ?? null,
    };
    const result = (await forCaller(caller, () => execute(uncompiled))) as GatewayExecutionResult;
    // Uncompiled execution takes much longer, so a long answer is written in a separate turn.
    await ownTurn();
    return result;
  };
}

function prefersHtml(accept: string | undefined): boolean {
  return accept?.split(',')[0]?.trim().startsWith('text/html') ?? false;
}
