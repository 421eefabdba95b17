import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance } from 'fastify';
import type { GatewayExecutionResult, GatewayExecutor } from '@apollo/server-gateway-interface';
import { execute, type GraphQLSchema } from 'graphql';
import { compileQuery, isCompiledQuery, type CompiledQuery } from 'graphql-jit';
import { isLucarneError } from '../kernel/errors.js';
import type { Log } from '../kernel/log.js';
import type { RequestContext } from '../organizations/index.js';
import { checkVariables } from './check-variables.js';
import { formatGraphqlError, logFailure, lucarneErrorIn, refusal } from './error-table.js';
import { graphiqlPage } from './graphiql.js';
import type { ContextFactory } from './http-context.js';
import { checkCost, GRAPHQL_LIMITS, limitRules } from './limits.js';
import { withGraphqlErrors } from './operation.js';
import { rootFieldOf } from './root-field.js';

export interface GraphqlOptions {
  readonly schema: GraphQLSchema;
  readonly contextFor: ContextFactory;
  readonly log: Log;
  /** Introspection and the GraphiQL page: in development only. */
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
        return await options.contextFor(request, reply, 'any', request.method === 'POST');
      } catch (thrown) {
        logFailure(options.log, request.id, thrown);
        throw isLucarneError(thrown) ? refusal(thrown) : thrown;
      }
    },
  });
  app.route({
    method: ['GET', 'POST'],
    url: GRAPHQL_PATH,
    handler: async (request, reply) => {
      if (options.development && request.method === 'GET' && prefersHtml(request.headers.accept)) {
        return reply.type('text/html; charset=utf-8').send(await graphiqlPage());
      }
      return (handler as (this: FastifyInstance, ...call: unknown[]) => unknown).call(app, request, reply);
    },
  });
}

function createApollo({ schema, log, development }: GraphqlOptions): ApolloServer<RequestContext> {
  return new ApolloServer<RequestContext>({
    // Apollo parses, validates and formats; graphql-jit executes what it compiled before.
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
    parseOptions: { maxLexicalTokens: GRAPHQL_LIMITS.tokens },
    validationRules: [...limitRules],
    formatError: formatGraphqlError,
    // Nothing may be cached by a shared cache, and its plugin would wrap every resolver of every field.
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

const COMPILED_QUERIES = 500;

/**
 * Compiles an operation at its second sight: a client's own queries come again, and one that never does should not
 * cost a compilation. Least recently used go first.
 */
function compilingExecutor(schema: GraphQLSchema): GatewayExecutor {
  const seen = new Map<string, CompiledQuery | undefined>();
  return async ({ document, queryHash, request, context }) => {
    const variables = request.variables ?? {};
    // As it was asked for: the resolved name is null, too, when no operation has it, and would run the only one there is.
    const { operationName } = request;
    const key = JSON.stringify([queryHash, operationName ?? null]);
    const known = seen.has(key);
    let compiled = seen.get(key);
    if (known && !compiled) {
      const result = compileQuery(schema, document, operationName);
      if (isCompiledQuery(result)) compiled = result;
    }
    seen.delete(key);
    seen.set(key, compiled);
    if (seen.size > COMPILED_QUERIES) seen.delete(seen.keys().next().value ?? '');
    if (compiled) {
      return withGraphqlErrors(await compiled.query({}, context, variables)) as GatewayExecutionResult;
    }
    return (await execute({
      schema,
      document,
      contextValue: context,
      variableValues: variables,
      operationName: operationName ?? null,
    })) as GatewayExecutionResult;
  };
}

function prefersHtml(accept: string | undefined): boolean {
  return accept?.split(',')[0]?.trim().startsWith('text/html') ?? false;
}
