import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
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
import { BoundedMap } from '../../../platform/kernel/bounds/bounded-map.js';
import { clientNetwork } from '../../../platform/kernel/client-network.js';
import { isLucarneError, messageOf, tooManyRequests } from '../../../platform/kernel/errors.js';
import { isPushable, type Pushable } from '../../../platform/signals/index.js';
import { createQuota } from '../../../platform/kernel/bounds/quota.js';
import { Lanes } from '../../../platform/jobs/index.js';
import { type Principal, type RequestContext, requireUnchanged } from '../../../domain/access/index.js';
import { GRAPHQL_PATH, type GraphqlOptions } from '../apollo.js';
import { forCaller, piecesForCaller } from '../caller-scope.js';
import type { Admission } from '../limits/admission.js';
import { checkVariables } from '../limits/check-variables.js';
import { clientAddressReader, type TrustProxy } from '../client-address.js';
import { formatGraphqlError, logFailure, lucarneErrorIn } from '../error-table.js';
import {
  bearerOf,
  cookieNameOf,
  type HttpContextOptions,
  refusalNote,
  requireOwnOrigin,
  requireStarted,
} from '../http-context.js';
import { identifyClient } from '../limits/identify-client.js';
import { DOCUMENT_LIMITS, MAX_VALIDATION_ERRORS } from '../limits/document-bounds.js';
import { checkCost } from '../limits/limits.js';
import { mapEvents } from './map-events.js';
import { rootFieldOf } from '../root-field.js';
import { type Connected, sendFrame, serveConnection } from './serve-connection.js';
import { sendPushed } from './send-pushed.js';
import { type EventTurn, nextFrame, sharedText, subscribeShared } from './shared-events.js';

export interface WebSocketOptions extends GraphqlOptions, HttpContextOptions {
  readonly admission: Admission;
  readonly trustProxy: TrustProxy;
}

const MAX_MESSAGE_BYTES = 64 * 1024;
/** Unsent bytes after which a slow client is disconnected. It can reconnect and resume. */
const MAX_UNSENT_BYTES = 1024 * 1024;
/** Application close code: the client reads too slowly. */
const SLOW_CLIENT = 4508;
/** Operations of one connection. A cancelled operation counts until it has ended. */
const MAX_OPERATIONS_PER_CONNECTION = 100;
/** Operations of all connections of one organization to one instance. */
const MAX_OPERATIONS_PER_ORGANIZATION = 2_000;
/** One API key or user leaves the other half to the others of the organization. */
const MAX_OPERATIONS_PER_MEMBER = 1_000;
/** Events that are executed at the same time for one organization. One change can be an event of each of its subscriptions. */
const EVENTS_AT_A_TIME = 2;
/** Connections to one instance by one API key, by one user, or by one network without credentials. */
const MAX_CONNECTIONS_PER_OWNER = 100;
const TOO_MANY_CONNECTIONS = 4429;
const GOING_AWAY = 1001;
/** The time in which a client must acknowledge the close. A slow reader must first read the earlier messages. */
const CLOSE_TIMEOUT_MS = 30_000;
/** The same time while the instance stops. */
const STOP_TIMEOUT_MS = 5_000;

/** Documents that are parsed and validated once. */
const MAX_KEPT_DOCUMENT_LENGTH = 2_000;
const MAX_KEPT_DOCUMENTS = 100;

/** The state of a connection. */
interface Connection extends Connected {
  operations: number;
  /** The key, user or network that the connection counts for. */
  owner: string | undefined;
  /** The organization that its operations count for. It is undefined without credentials. */
  organizationId: string | undefined;
}

type ConnectionParameters = Record<string, unknown>;

/** Serves GraphQL over WebSocket (`graphql-transport-ws`) on the HTTP server's own port and path. */
export function registerGraphqlWebSocket(app: FastifyInstance, options: WebSocketOptions): void {
  const { schema, log, development } = options;
  // The types of `ws` do not have `closeTimeout` yet.
  const bounds: ServerOptions = { maxPayload: MAX_MESSAGE_BYTES, ...{ closeTimeout: CLOSE_TIMEOUT_MS } };
  const sockets = new WebSocketServer({ noServer: true, handleProtocols, ...bounds });
  const connections = createQuota(MAX_CONNECTIONS_PER_OWNER);
  const operations = createQuota(MAX_OPERATIONS_PER_ORGANIZATION);
  const ownOperations = createQuota(MAX_OPERATIONS_PER_MEMBER);
  const turns = new Lanes(() => EVENTS_AT_A_TIME);
  const clientAddressOf = clientAddressReader(options.trustProxy);
  const rules = [...specifiedRules, ...(development ? [] : [NoSchemaIntrospectionCustomRule])];

  /** The latest documents. Subscribers of the same document share its object, and therefore the results of events. */
  const documents = new BoundedMap<string, DocumentNode>(MAX_KEPT_DOCUMENTS);

  const sessionTokenOf = ({ headers }: IncomingMessage): string | undefined =>
    app.parseCookie(headers.cookie ?? '')[cookieNameOf(options.publicUrl)];

  const contextOf = async (
    { request }: Connection,
    params: ConnectionParameters | undefined,
  ): Promise<RequestContext> => {
    requireStarted(options);
    const authorization =
      params?.['authorization'] ?? params?.['Authorization'] ?? request.headers.authorization;
    const bearer = bearerOf(typeof authorization === 'string' ? authorization : undefined);
    const sessionToken = sessionTokenOf(request);
    const credentials = {
      ...(bearer === undefined ? {} : { bearer }),
      ...(bearer !== undefined || sessionToken === undefined ? {} : { sessionToken }),
    };
    const clientAddress = clientAddressOf(request);
    const caller = {
      // A page that is left open connects and subscribes again by itself: only its requests over HTTP are uses of a session.
      principal: await identifyClient(options, clientAddress, credentials, { isUse: bearer !== undefined }),
      requestId: requestIdOf(request),
      clientAddress,
    };
    const callerNow = () => options.authenticator.identify(credentials);
    return { ...caller, callerNow, refused: refusalNote(options, caller) };
  };

  const refusedToNobody = (request: IncomingMessage, thrown: unknown) => {
    const nobody = {
      principal: undefined,
      clientAddress: clientAddressOf(request),
      requestId: requestIdOf(request),
    };
    refusalNote(options, nobody)(isLucarneError(thrown) ? thrown : undefined, 'graphql');
  };

  /** The parsed and validated document, or its validation errors. */
  const documentOf = (query: string): DocumentNode | readonly GraphQLError[] => {
    const known = documents.get(query);
    if (known) return known;
    const document = parse(query, { maxLexicalTokens: DOCUMENT_LIMITS.tokens });
    const bounded = { hideSuggestions: !development, maxErrors: MAX_VALIDATION_ERRORS };
    const errors = validate(schema, document, rules, bounded);
    if (errors.length > 0) return errors;
    if (query.length <= MAX_KEPT_DOCUMENT_LENGTH) documents.set(query, document);
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
    // Invalid credentials count as none here. Each operation reports them.
    const caller = await contextOf(extra, connectionParams).catch(() => undefined);
    if (extra.socket.readyState !== extra.socket.OPEN) return;
    extra.organizationId = caller?.principal?.organizationId;
    const owner = ownerOf(caller?.principal) ?? clientNetwork(clientAddressOf(extra.request));
    if (connections.take(owner)) extra.owner = owner;
    else extra.socket.close(TOO_MANY_CONNECTIONS, 'Too many connections');
  };

  const begin = (connection: Connection): boolean => {
    const { organizationId, owner = '' } = connection;
    if (connection.operations >= MAX_OPERATIONS_PER_CONNECTION) return false;
    if (organizationId !== undefined) {
      if (!ownOperations.take(owner)) return false;
      if (!operations.take(organizationId)) {
        ownOperations.give(owner);
        return false;
      }
    }
    connection.operations += 1;
    return true;
  };
  const end = (connection: Connection): void => {
    const { organizationId, owner = '' } = connection;
    // The operations of a closed connection have ended.
    if (connection.operations === 0) return;
    connection.operations -= 1;
    if (organizationId === undefined) return;
    ownOperations.give(owner);
    operations.give(organizationId);
  };

  // Credentials are read for every operation, so a key that is revoked after the connection opened grants nothing.
  const prepare = async (
    connection: Connection,
    params: ConnectionParameters | undefined,
    payload: SubscribePayload,
  ): Promise<ExecutionArgs | readonly GraphQLError[]> => {
    try {
      const contextValue = await contextOf(connection, params);
      options.admission.admit(contextValue, payload.query, payload.operationName);
      const document = documentOf(payload.query);
      if (!('kind' in document)) return document.map((error) => refused(error, 'GRAPHQL_VALIDATION_FAILED'));
      // A document that is not kept is validated again each time.
      if (documents.get(payload.query)) options.admission.validated(payload.query, payload.operationName);
      const operation = getOperationAST(document, payload.operationName);
      if (!operation) {
        const unknown = new GraphQLError(
          'The document has no operation of this name, or has several and the request names none.',
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
        contextValue,
      };
    } catch (thrown) {
      refusedToNobody(connection.request, thrown);
      if (thrown instanceof GraphQLError) return [refused(thrown, 'GRAPHQL_PARSE_FAILED')];
      return [
        new GraphQLError(messageOf(thrown), { originalError: thrown instanceof Error ? thrown : null }),
      ];
    }
  };

  const closeWhenSlow = ({ socket, request }: Connection): void => {
    if (socket.bufferedAmount <= MAX_UNSENT_BYTES || socket.readyState !== socket.OPEN) return;
    log.info({ clientAddress: clientAddressOf(request) }, 'A WebSocket client reads too slowly.');
    socket.close(SLOW_CLIENT, 'Reading too slowly');
  };

  /** Sends a result whose text all subscribers share. The protocol's server sends any other result. */
  const sendShared =
    (connection: Connection, id: string) =>
    (result: ExecutionResult, written: () => void): boolean | undefined => {
      const text = sharedText(result);
      if (text === undefined) return undefined;
      closeWhenSlow(connection);
      return sendFrame(connection, nextFrame(result, id, text), written);
    };

  const protocol = makeServer<ConnectionParameters, Connection>({
    execute: (args) => forCaller(args.contextValue as RequestContext, () => execute(args)),
    // A subscription ends with its key, its session or its permissions. They are checked before each event is executed, and
    // again before it is sent.
    subscribe(args) {
      const caller = args.contextValue as RequestContext;
      const lane = caller.principal?.organizationId ?? '';
      const inTurn: EventTurn = (executed) =>
        turns.run(lane, async () => {
          await requireUnchanged(caller);
          return executed();
        });
      return forCaller(caller, () => subscribeShared(args, inTurn));
    },
    onConnect: enter,
    onClose: ({ extra }) => {
      if (extra.owner !== undefined) connections.give(extra.owner);
      while (extra.operations > 0) end(extra);
    },
    async onSubscribe({ extra, connectionParams }, _id, payload) {
      if (!begin(extra)) return [tooManyOperations()];
      const prepared = await prepare(extra, connectionParams, payload);
      if (Array.isArray(prepared)) end(extra);
      return prepared;
    },
    onOperation({ extra }, id, _payload, { contextValue }, result) {
      if (!(Symbol.asyncIterator in result)) return undefined;
      const caller = contextValue as RequestContext;
      const send = sendShared(extra, id);
      if (!caller.principal && isPushable(result))
        return sendPushed(result as Pushable<ExecutionResult>, send);
      const events = piecesForCaller(caller, () => result as AsyncIterable<ExecutionResult>);
      return mapEvents(events, async (next) => {
        await requireUnchanged(caller);
        const written = Promise.withResolvers<undefined>();
        if (send(next, () => written.resolve(undefined)) === undefined) return next;
        return written.promise;
      });
    },
    onNext: ({ extra }, _id, _payload, { contextValue, document, operationName }, result) => {
      for (const error of result.errors ?? []) {
        const field = rootFieldOf(error, document, getOperationAST(document, operationName));
        (contextValue as RequestContext).refused?.(lucarneErrorIn(error), field);
      }
      return result.errors
        ? { data: result.data ?? null, errors: result.errors.map(shown(extra)) }
        : undefined;
    },
    onError: ({ extra }, _id, _payload, errors) => errors.map(shown(extra)),
    onComplete: ({ extra }) => {
      end(extra);
    },
  });

  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const status = refusalOf(request, options, {
      hasSession: sessionTokenOf(request) !== undefined,
      refused: (thrown) => refusedToNobody(request, thrown),
    });
    if (status) {
      socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (opened) => {
      const connection: Connection = {
        socket: opened,
        request,
        operations: 0,
        owner: undefined,
        organizationId: undefined,
      };
      serveConnection(protocol, connection, { log, beforeSending: () => closeWhenSlow(connection) });
    });
  };
  app.server.on('upgrade', onUpgrade);
  // `preClose`, because an open WebSocket prevents the server from closing. Clients see 1001, going away.
  app.addHook('preClose', async () => {
    app.server.off('upgrade', onUpgrade);
    for (const socket of sockets.clients) socket.close(GOING_AWAY, 'Going away');
    const cutOff = setTimeout(() => {
      for (const socket of sockets.clients) socket.terminate();
    }, STOP_TIMEOUT_MS);
    await new Promise<void>((resolve) => sockets.close(() => resolve()));
    clearTimeout(cutOff);
  });
}

const HANDSHAKE_KEY = /^[0-9A-Za-z+/]{22}==$/;

/** The key of the handshake. The client knows it, and all operations of the connection share it. */
function requestIdOf({ headers }: IncomingMessage): string {
  const key = headers['sec-websocket-key'] ?? '';
  return HANDSHAKE_KEY.test(key) ? key : '';
}

/**
 * The status that refuses an upgrade. A browser sends cookies with upgrades from every page of the same site, so an upgrade
 * with a session cookie must come from the gateway's own pages. A page without a cookie has only its own credentials or none,
 * such as a wallet that follows a relay.
 */
function refusalOf(
  request: IncomingMessage,
  options: HttpContextOptions,
  { hasSession, refused }: { readonly hasSession: boolean; readonly refused: (thrown: unknown) => void },
): string | undefined {
  if (request.url?.split('?')[0] !== GRAPHQL_PATH) return '404 Not Found';
  if (!hasSession) return undefined;
  try {
    requireOwnOrigin(request.headers, options);
    return undefined;
  } catch (thrown) {
    refused(thrown);
    return '403 Forbidden';
  }
}

function tooManyOperations(): GraphQLError {
  const originalError = tooManyRequests(
    'Too many operations are in progress on this connection, or of your organization.',
    1,
  );
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
