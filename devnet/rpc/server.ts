import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { WebSocketServer, type WebSocket } from 'ws';
import { parseForeignJson } from '../../src/platform/kernel/encoding/foreign-json.js';
import { isJsonObject, type JsonValue } from '../../src/platform/kernel/encoding/json.js';
import type { Log } from '../../src/platform/kernel/log.js';
import type { Chain } from '../chain/chain.js';
import { rpcMethods, type RpcMethod } from './methods.js';
import { RpcError, RpcParameters } from './parameters.js';
import { RpcSubscriptions } from './subscriptions.js';

export interface RpcServerOptions {
  readonly chain: Chain;
  readonly host: string;
  readonly port: number;
  readonly log: Log;
}

export interface RpcServer extends AsyncDisposable {
  readonly port: number;
}

/** The body limit of Agave's RPC service. */
const MAX_BODY_BYTES = 50 * 1024;
const MAX_BATCH = 100;
/** How long a client may take to confirm that the connection closes. */
const CLOSE_TIMEOUT_MS = 500;
/** Long: a client of a busy process may send on a connection in the moment in which it is closed for being idle. */
const KEEP_ALIVE_MS = 72_000;

type Answer = Record<string, JsonValue>;
type Call = (method: string, parameters: unknown) => JsonValue;

/** Serves a chain by HTTP POST and by WebSocket on one port. */
export async function serveRpc({ chain, host, port, log }: RpcServerOptions): Promise<RpcServer> {
  const methods = rpcMethods(chain);
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    void answerHttp(request, response, dispatcher(methods, undefined), log);
  });
  const sockets = new WebSocketServer({ server, maxPayload: MAX_BODY_BYTES });
  sockets.on('connection', (socket) => serveSocket(socket, chain, methods, log));
  // `ws` repeats the HTTP server's errors; they are reported once, by `listen`.
  sockets.on('error', () => undefined);
  await listen(server, host, port);
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    async [Symbol.asyncDispose]() {
      await closeSockets(sockets);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

// Code 1000, as by a client's own wish: after any other web3.js reconnects forever and keeps its process alive.
async function closeSockets(sockets: WebSocketServer): Promise<void> {
  const timeout = AbortSignal.timeout(CLOSE_TIMEOUT_MS);
  sockets.close();
  await Promise.all(
    [...sockets.clients].map(async (socket) => {
      const closed = once(socket, 'close', { signal: timeout });
      socket.close(1000);
      await closed.catch(() => socket.terminate());
    }),
  );
}

function serveSocket(
  socket: WebSocket,
  chain: Chain,
  methods: ReadonlyMap<string, RpcMethod>,
  log: Log,
): void {
  const subscriptions = new RpcSubscriptions(chain, (method, subscription, result) => {
    socket.send(JSON.stringify({ jsonrpc: '2.0', method, params: { result, subscription } }));
  });
  const call = dispatcher(methods, subscriptions);
  socket.on('message', (data, isBinary) => {
    const text = isBinary || !Buffer.isBuffer(data) ? '' : data.toString('utf8');
    const answer = answerText(text, call, log);
    if (answer !== undefined) socket.send(answer);
  });
  socket.on('error', () => socket.terminate());
  socket.on('close', () => subscriptions.close());
}

function dispatcher(
  methods: ReadonlyMap<string, RpcMethod>,
  subscriptions: RpcSubscriptions | undefined,
): Call {
  return (method, parameters) => {
    const run = methods.get(method);
    if (run !== undefined) return run(new RpcParameters(parameters));
    const answer = subscriptions?.call(method, new RpcParameters(parameters));
    if (answer === undefined) throw new RpcError(-32601, 'Method not found');
    return answer;
  };
}

async function answerHttp(
  request: IncomingMessage,
  response: ServerResponse,
  call: Call,
  log: Log,
): Promise<void> {
  const { status, text, type = 'text/plain; charset=utf-8' } = await httpAnswer(request, call, log);
  response.writeHead(status, { 'content-type': type }).end(text);
}

async function httpAnswer(
  request: IncomingMessage,
  call: Call,
  log: Log,
): Promise<{ status: number; text: string; type?: string }> {
  if (request.method === 'GET' && request.url === '/health') return { status: 200, text: 'ok' };
  if (request.method !== 'POST') return { status: 405, text: 'Only POST is allowed.\n' };
  // A page in a browser can send anything but JSON across origins without asking first.
  if (!(request.headers['content-type'] ?? '').startsWith('application/json')) {
    return { status: 415, text: 'The content type must be application/json.\n' };
  }
  const body = await readBody(request);
  if (body === undefined) return { status: 413, text: 'The request body is too large.\n' };
  const text = answerText(body, call, log) ?? '';
  return { status: 200, text, type: 'application/json; charset=utf-8' };
}

/** The text of the answer; `undefined` when the text held only notifications. */
function answerText(text: string, call: Call, log: Log): string | undefined {
  let request: unknown;
  try {
    request = parseForeignJson(text);
  } catch {
    return JSON.stringify(failure(null, -32700, 'Parse error'));
  }
  if (!Array.isArray(request)) {
    const answer = answerOne(request, call, log);
    return answer === undefined ? undefined : JSON.stringify(answer);
  }
  if (request.length === 0 || request.length > MAX_BATCH) {
    return JSON.stringify(failure(null, -32600, 'Invalid request'));
  }
  const answers = request.flatMap((one) => answerOne(one, call, log) ?? []);
  return answers.length === 0 ? undefined : JSON.stringify(answers);
}

function answerOne(request: unknown, call: Call, log: Log): Answer | undefined {
  if (!isJsonObject(request) || request['jsonrpc'] !== '2.0' || typeof request['method'] !== 'string') {
    return failure(isJsonObject(request) ? readId(request['id']) : null, -32600, 'Invalid request');
  }
  const id = readId(request['id']);
  const answer = answerCall(id, request['method'], request['params'], call, log);
  // JSON-RPC 2.0, 4.1: a request without an id is a notification and has no answer.
  return 'id' in request ? answer : undefined;
}

function answerCall(id: JsonValue, method: string, parameters: unknown, call: Call, log: Log): Answer {
  try {
    return { jsonrpc: '2.0', result: call(method, parameters), id };
  } catch (error) {
    if (error instanceof RpcError) return failure(id, error.code, error.message, error.data);
    log.error({ method, err: error }, 'The local ledger failed to answer.');
    return failure(id, -32603, 'Internal error');
  }
}

function failure(id: JsonValue, code: number, message: string, data?: JsonValue): Answer {
  return { jsonrpc: '2.0', error: { code, message, ...(data === undefined ? {} : { data }) }, id };
}

function readId(id: unknown): JsonValue {
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request) {
      const bytes = chunk as Buffer;
      length += bytes.length;
      if (length > MAX_BODY_BYTES) return undefined;
      chunks.push(bytes);
    }
  } catch {
    // The client went away in the middle of its request: there is nobody to answer.
    return undefined;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
