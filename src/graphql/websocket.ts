import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import type { FastifyInstance } from 'fastify';
import {
  execute,
  getOperationAST,
  GraphQLError,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
} from 'graphql';
import { handleProtocols, makeServer, type Context, type SubscribePayload } from 'graphql-ws';
import { WebSocketServer, type ServerOptions } from 'ws';
import { clientNetwork } from '../kernel/client-network.js';
import { isLucarneError, messageOf, tooManyRequests, unauthenticated } from '../kernel/errors.js';
import { createQuota } from '../kernel/quota.js';
import type {
  Authenticator,
  PresentedCredentials,
  Principal,
  RequestContext,
} from '../organizations/index.js';
import { GRAPHQL_PATH, type GraphqlOptions } from './apollo.js';
import { checkVariables } from './check-variables.js';
import { clientAddressReader, type TrustProxy } from './client-address.js';
import { formatGraphqlError, logFailure, lucarneErrorIn } from './error-table.js';
import {
  bearerOf,
  cookieNameOf,
  refusalNote,
  requireOwnOrigin,
  requireStarted,
  type HttpContextOptions,
} from './http-context.js';
import { checkCost, GRAPHQL_LIMITS, limitRules } from './limits.js';
import { mapEvents } from './map-events.js';
import { rootFieldOf } from './root-field.js';
import { sendOver, serveConnection, type Connected } from './serve-connection.js';
import { sharedText, subscribeShared } from './shared-events.js';

export interface WebSocketOptions extends GraphqlOptions, HttpContextOptions {
  readonly authenticator: Authenticator;
  readonly trustProxy: TrustProxy;
}

const MESSAGE_BYTES = 64 * 1024;
/** What may lie unsent for one client before it is closed: it can come back and resume. */
const UNSENT_BYTES = 1024 * 1024;
/** Application close code: the client reads slower than it is sent to. */
const SLOW_CLIENT = 4508;
/** Operations under way on one connection, those that the client gave up and that still run counted in. */
const OPERATIONS_OF_A_CONNECTION = 100;
/** Connections to one instance with the same key, of the same user, or of nobody from the same address. */
const CONNECTIONS_OF_A_PRINCIPAL = 100;
const TOO_MANY_CONNECTIONS = 4429;
const GOING_AWAY = 1001;
/** For a client to answer the end of its connection: one that reads slowly must first read what lies before it. */
const CLOSE_MILLISECONDS = 30_000;
/** The same when the instance stops: nobody may hold that up. */
const STOP_MILLISECONDS = 5_000;

/** Documents that are parsed and validated once, the longest, and how many. */
const KEPT_DOCUMENT_LENGTH = 2_000;
const KEPT_DOCUMENTS = 100;

/** What is remembered of a connection. */
interface Connection extends Connected {
  operations: number;
  /** Whom the connection counts for. */
  owner: string | undefined;
}

type ConnectionParameters = Record<string, unknown>;

interface Caller extends RequestContext {
  readonly credentials: PresentedCredentials;
}

/** Serves GraphQL over WebSocket (`graphql-transport-ws`) on the HTTP server's own port and path. */
export function registerGraphqlWebSocket(app: FastifyInstance, options: WebSocketOptions): void {
  const { schema, log, development } = options;
  // `closeTimeout` is younger than the types of `ws`.
  const bounds: ServerOptions = { maxPayload: MESSAGE_BYTES, ...{ closeTimeout: CLOSE_MILLISECONDS } };
  const sockets = new WebSocketServer({ noServer: true, handleProtocols, ...bounds });
  const connections = createQuota(CONNECTIONS_OF_A_PRINCIPAL);
  const clientAddressOf = clientAddressReader(options.trustProxy);
  const rules = [...specifiedRules, ...limitRules, ...(development ? [] : [NoSchemaIntrospectionCustomRule])];

  /** What clients asked for last: subscribers of one document share it, and with it their events. */
  const documents = new Map<string, DocumentNode>();

  const contextOf = async (
    { request }: Connection,
    params: ConnectionParameters | undefined,
  ): Promise<Caller> => {
    requireStarted(options);
    const authorization =
      params?.['authorization'] ?? params?.['Authorization'] ?? request.headers.authorization;
    const bearer = bearerOf(typeof authorization === 'string' ? authorization : undefined);
    const cookies = app.parseCookie(request.headers.cookie ?? '');
    const sessionToken = cookies[cookieNameOf(options.publicUrl)];
    const credentials = {
      ...(bearer === undefined ? {} : { bearer }),
      ...(bearer !== undefined || sessionToken === undefined ? {} : { sessionToken }),
    };
    const caller = {
      principal: await options.authenticator.authenticate(credentials),
      requestId: requestIdOf(request),
      clientAddress: clientAddressOf(request),
    };
    return { ...caller, credentials, refused: refusalNote(options, caller) };
  };

  const refusedToNobody = (request: IncomingMessage, thrown: unknown) => {
    const nobody = {
      principal: undefined,
      clientAddress: clientAddressOf(request),
      requestId: requestIdOf(request),
    };
    refusalNote(options, nobody)(isLucarneError(thrown) ? thrown : undefined, 'graphql');
  };

  /** Parsed and validated, or why it is not valid. */
  const documentOf = (query: string): DocumentNode | readonly GraphQLError[] => {
    const known = documents.get(query);
    const document = known ?? parse(query, { maxLexicalTokens: GRAPHQL_LIMITS.tokens });
    const errors = known ? [] : validate(schema, document, rules, { hideSuggestions: !development });
    if (errors.length > 0) return errors;
    if (query.length > KEPT_DOCUMENT_LENGTH) return document;
    documents.delete(query);
    documents.set(query, document);
    if (documents.size > KEPT_DOCUMENTS) documents.delete(documents.keys().next().value ?? '');
    return document;
  };

  const shown =
    ({ request }: Connection) =>
    (error: GraphQLError) => {
      logFailure(log, requestIdOf(request), error);
      return formatGraphqlError(error.toJSON(), error);
    };

  const enter = async ({
    extra,
    connectionParams,
  }: Context<ConnectionParameters, Connection>): Promise<void> => {
    // Credentials that are not good open nothing, and each operation says so: they are nobody's.
    const caller = await contextOf(extra, connectionParams).catch(() => undefined);
    if (extra.socket.readyState !== extra.socket.OPEN) return;
    const owner = ownerOf(caller?.principal) ?? clientNetwork(clientAddressOf(extra.request));
    if (connections.take(owner)) extra.owner = owner;
    else extra.socket.close(TOO_MANY_CONNECTIONS, 'Too many connections');
  };

  // Credentials are read anew for every operation: a key revoked since the connection began opens nothing more.
  const prepare = async (
    connection: Connection,
    params: ConnectionParameters | undefined,
    payload: SubscribePayload,
  ): Promise<ExecutionArgs | readonly GraphQLError[]> => {
    try {
      const document = documentOf(payload.query);
      if (!('kind' in document)) return document.map((error) => refused(error, 'GRAPHQL_VALIDATION_FAILED'));
      const operation = getOperationAST(document, payload.operationName);
      if (!operation) {
        const unknown = new GraphQLError(
          'The document has no operation of this name, or several and none is named.',
        );
        return [refused(unknown, 'OPERATION_RESOLUTION_FAILURE')];
      }
      const variableValues = payload.variables ?? {};
      checkVariables(schema, operation, variableValues, { hideSuggestions: !development });
      checkCost(schema, document, variableValues, payload.operationName);
      return {
        schema,
        document,
        variableValues,
        operationName: payload.operationName ?? null,
        contextValue: await contextOf(connection, params),
      };
    } catch (thrown) {
      refusedToNobody(connection.request, thrown);
      if (thrown instanceof GraphQLError) return [refused(thrown, 'GRAPHQL_PARSE_FAILED')];
      return [
        new GraphQLError(messageOf(thrown), { originalError: thrown instanceof Error ? thrown : null }),
      ];
    }
  };

  /** Each event is for those who may still see it: a subscription does not outlive its key, session or permissions. */
  const requireUnchanged = async ({ principal, credentials }: Caller): Promise<void> => {
    const present = await options.authenticator.identify(credentials);
    if (!isDeepStrictEqual(present, principal))
      throw unauthenticated('Your credentials, or what they permit, have changed: subscribe again.');
  };

  const closeWhenSlow = ({ socket, request }: Connection): void => {
    if (socket.bufferedAmount <= UNSENT_BYTES || socket.readyState !== socket.OPEN) return;
    log.info({ clientAddress: clientAddressOf(request) }, 'A WebSocket client reads too slowly.');
    socket.close(SLOW_CLIENT, 'Reading too slowly');
  };

  /** Sends a result whose text is there for all subscribers; any other is left to the protocol's server. */
  const sentWhereShared = async (
    connection: Connection,
    id: string,
    result: ExecutionResult,
  ): Promise<ExecutionResult | undefined> => {
    const text = sharedText(result);
    if (text === undefined) return result;
    closeWhenSlow(connection);
    await sendOver(connection.socket, `{"id":${JSON.stringify(id)},"type":"next","payload":${text}}`);
    return undefined;
  };

  const protocol = makeServer<ConnectionParameters, Connection>({
    execute,
    subscribe: subscribeShared,
    onConnect: enter,
    onClose: ({ extra }) => {
      if (extra.owner !== undefined) connections.give(extra.owner);
    },
    async onSubscribe({ extra, connectionParams }, _id, payload) {
      if (extra.operations >= OPERATIONS_OF_A_CONNECTION) return [tooManyOperations()];
      extra.operations += 1;
      const prepared = await prepare(extra, connectionParams, payload);
      if (Array.isArray(prepared)) extra.operations -= 1;
      return prepared;
    },
    onOperation({ extra }, id, _payload, { contextValue }, result) {
      if (!(Symbol.asyncIterator in result)) return undefined;
      const caller = contextValue as Caller;
      return mapEvents(result as AsyncIterable<ExecutionResult>, async (next) => {
        if (caller.principal) await requireUnchanged(caller);
        return sentWhereShared(extra, id, next);
      });
    },
    onNext: ({ extra }, _id, _payload, { contextValue, document, operationName }, result) => {
      for (const error of result.errors ?? []) {
        const field = rootFieldOf(error, document, getOperationAST(document, operationName));
        (contextValue as Caller).refused?.(lucarneErrorIn(error), field);
      }
      closeWhenSlow(extra);
      return result.errors
        ? { data: result.data ?? null, errors: result.errors.map(shown(extra)) }
        : undefined;
    },
    onError: ({ extra }, _id, _payload, errors) => errors.map(shown(extra)),
    onComplete: ({ extra }) => {
      extra.operations -= 1;
    },
  });

  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const status = refusalOf(request, options, refusedToNobody);
    if (status) {
      socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (connection) =>
      serveConnection(protocol, { socket: connection, request, operations: 0, owner: undefined }, log),
    );
  };
  app.server.on('upgrade', onUpgrade);
  // `preClose`: an open WebSocket would keep the server from closing. Clients see 1001, going away.
  app.addHook('preClose', async () => {
    app.server.off('upgrade', onUpgrade);
    for (const socket of sockets.clients) socket.close(GOING_AWAY, 'Going away');
    const cutOff = setTimeout(() => {
      for (const socket of sockets.clients) socket.terminate();
    }, STOP_MILLISECONDS);
    await new Promise<void>((resolve) => sockets.close(() => resolve()));
    clearTimeout(cutOff);
  });
}

const HANDSHAKE_KEY = /^[0-9A-Za-z+/]{22}==$/;

/** The handshake's own key: what a client can name, and one for all operations of a connection. */
function requestIdOf({ headers }: IncomingMessage): string {
  const key = headers['sec-websocket-key'] ?? '';
  return HANDSHAKE_KEY.test(key) ? key : '';
}

function refusalOf(
  request: IncomingMessage,
  options: HttpContextOptions,
  refused: (request: IncomingMessage, thrown: unknown) => void,
): string | undefined {
  if (request.url?.split('?')[0] !== GRAPHQL_PATH) return '404 Not Found';
  try {
    requireOwnOrigin(request.headers, options);
    return undefined;
  } catch (thrown) {
    refused(request, thrown);
    return '403 Forbidden';
  }
}

function tooManyOperations(): GraphQLError {
  const originalError = tooManyRequests('Too many operations are under way on this connection.', 1);
  return new GraphQLError(originalError.message, { originalError });
}

function ownerOf(principal: Principal | undefined): string | undefined {
  return principal?.kind === 'user' ? principal.userId : principal?.apiKeyId;
}

function refused(error: GraphQLError, code: string): GraphQLError {
  return new GraphQLError(error.message, {
    ...(error.nodes ? { nodes: error.nodes } : {}),
    ...(error.source ? { source: error.source } : {}),
    ...(error.positions ? { positions: error.positions } : {}),
    extensions: { code },
  });
}
