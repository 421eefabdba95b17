import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';

/** The fault of a node. */
export type Fault =
  /** Cuts the connection without an answer. */
  | { readonly kind: 'drop' }
  /** Never answers. */
  | { readonly kind: 'hang' }
  /** Answers correctly, but late. */
  | { readonly kind: 'delay'; readonly delayMs: number }
  /** An HTTP status, such as 429 or 500. */
  | { readonly kind: 'status'; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** HTTP 200 with this body, JSON or not. */
  | { readonly kind: 'body'; readonly body: string }
  /** Sends half of the correct answer and cuts the connection. */
  | { readonly kind: 'cut' }
  /** A well-formed answer with this result. */
  | { readonly kind: 'result'; readonly result: unknown }
  /** A well-formed refusal. */
  | { readonly kind: 'error'; readonly code: number; readonly message: string }
  /** The first answer that it ever gave to the same request. */
  | { readonly kind: 'stale' };

export type Answer = (params: readonly unknown[]) => unknown;

export interface FaultLedgerOptions {
  /**
   * The node that it forwards to. Without one, it answers only the methods in `answers`, and `announce` sends the
   * notifications.
   */
  readonly upstream?: { readonly rpcUrl: string; readonly wsUrl: string };
  readonly answers?: Readonly<Record<string, Answer>>;
}

export interface FaultLedger extends AsyncDisposable {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  /** The requested methods, in order, including those with faults. */
  readonly asked: readonly { readonly method: string; readonly params: readonly unknown[] }[];
  /** The maximum number of concurrent HTTP requests so far. */
  readonly mostAtOnce: number;
  countOf(method: string): number;
  /**
   * The next `times` calls of `method` fail (`*`: any; `batch`: a batched request, answered with 400); all of them without
   * `times`. Within a batch, every fault of a call is an internal error.
   */
  fail(method: string, fault: Fault, times?: number): void;
  /** Removes the faults of `method`, or all. */
  heal(method?: string): void;
  answer(method: string, answer: Answer): void;
  /** Notifies the subscribers of an address, like `logsSubscribe`. Only without an upstream. */
  announce(address: string, signature: string, slot: number): void;
  /** The subscribed addresses. Only without an upstream. */
  subscribed(): readonly string[];
  /** Sends this text on every WebSocket. */
  babble(text: string): void;
  /** Cuts every WebSocket. New ones are accepted. */
  cutSockets(): void;
  /** Refuses connections and cuts existing ones until `comeBack`. */
  goDown(): Promise<void>;
  comeBack(): Promise<void>;
}

interface Programmed {
  readonly fault: Fault;
  left: number;
}

interface Request {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A local node that fails as scripted: in front of a real node, or with scripted answers. */
export async function startFaultLedger(options: FaultLedgerOptions = {}): Promise<FaultLedger> {
  const answers = new Map(Object.entries(options.answers ?? {}));
  const faults = new Map<string, Programmed[]>();
  const firstAnswers = new Map<string, unknown>();
  const asked: { method: string; params: readonly unknown[] }[] = [];
  const sockets = new Set<Socket>();
  const subscribers = new Map<WebSocket, Map<number, string>>();
  let lastSubscription = 0;
  let underWay = 0;
  let mostAtOnce = 0;

  const takeFault = (method: string): Fault | undefined => {
    for (const name of [method, '*']) {
      const next = faults.get(name)?.find(({ left }) => left > 0);
      if (next === undefined) continue;
      next.left -= 1;
      return next.fault;
    }
    return undefined;
  };

  const rightAnswer = async (request: Request): Promise<unknown> => {
    const own = answers.get(request.method);
    if (own !== undefined) return { jsonrpc: '2.0', id: request.id, result: own(request.params) };
    if (options.upstream !== undefined) {
      const response = await fetch(options.upstream.rpcUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', ...request }),
      });
      return response.json();
    }
    return { jsonrpc: '2.0', id: request.id, error: { code: -32601, message: 'Method not found' } };
  };

  const respond = async (request: Request, response: ServerResponse): Promise<void> => {
    const send = (answer: unknown) => {
      response.setHeader('content-type', 'application/json');
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
    };
    const fault = takeFault(request.method);
    switch (fault?.kind) {
      case 'drop':
        response.destroy();
        return;
      case 'hang':
        return;
      case 'status':
        response.writeHead(fault.status, fault.headers).end('no');
        return;
      case 'body':
        send(fault.body);
        return;
      case 'result':
        send({ jsonrpc: '2.0', id: request.id, result: fault.result });
        return;
      case 'error':
        send({ jsonrpc: '2.0', id: request.id, error: { code: fault.code, message: fault.message } });
        return;
      case 'delay':
        await new Promise((resolve) => setTimeout(resolve, fault.delayMs));
        break;
      case 'stale':
      case 'cut':
      case undefined:
        break;
    }
    const question = JSON.stringify([request.method, request.params]);
    const answer = await rightAnswer(request);
    if (!firstAnswers.has(question)) firstAnswers.set(question, answer);
    if (fault?.kind === 'cut') {
      const text = JSON.stringify(answer);
      response.setHeader('content-length', text.length);
      response.write(text.slice(0, text.length / 2), () => response.destroy());
      return;
    }
    const first = firstAnswers.get(question) as object;
    send(fault?.kind === 'stale' ? { ...first, id: request.id } : answer);
  };

  const single = (request: Request, response: ServerResponse): Promise<void> => {
    asked.push({ method: request.method, params: request.params });
    return respond(request, response);
  };

  // A fault of the method `batch` affects the whole batch. A fault of another method affects only its calls, as an error.
  const respondToBatch = async (requests: readonly Request[], response: ServerResponse): Promise<void> => {
    asked.push({ method: 'batch', params: requests });
    if (takeFault('batch') !== undefined) {
      response.writeHead(400).end('no batches');
      return;
    }
    const replies = requests.map(async (request): Promise<unknown> =>
      takeFault(request.method) === undefined
        ? rightAnswer(request)
        : { jsonrpc: '2.0', id: request.id, error: { code: -32603, message: 'Internal error' } },
    );
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(await Promise.all(replies)));
  };

  const server = createServer({ keepAliveTimeout: 72_000 }, (incoming, response) => {
    underWay += 1;
    mostAtOnce = Math.max(mostAtOnce, underWay);
    response.on('close', () => (underWay -= 1));
    void readRequest(incoming)
      .then((request) =>
        Array.isArray(request) ? respondToBatch(request, response) : single(request, response),
      )
      .catch(() => response.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });

  const webSockets = new WebSocketServer({ server });
  // It repeats errors of the HTTP server, which `listen` reports.
  webSockets.on('error', () => undefined);
  webSockets.on('connection', (client) => {
    if (options.upstream !== undefined) {
      join(client, new WebSocket(options.upstream.wsUrl));
      return;
    }
    const mine = new Map<number, string>();
    subscribers.set(client, mine);
    client.on('close', () => subscribers.delete(client));
    client.on('message', (data: Buffer) => {
      const request = JSON.parse(data.toString('utf8')) as Request;
      asked.push({ method: request.method, params: request.params });
      const reply = (content: object) =>
        client.send(JSON.stringify({ jsonrpc: '2.0', id: request.id, ...content }));
      const fault = takeFault(request.method);
      if (fault?.kind === 'hang') return;
      if (fault?.kind === 'error') {
        reply({ error: { code: fault.code, message: fault.message } });
      } else if (request.method === 'logsSubscribe') {
        const [filter] = request.params as [{ mentions: [string] }];
        lastSubscription += 1;
        mine.set(lastSubscription, filter.mentions[0]);
        reply({ result: lastSubscription });
      } else {
        reply({ result: mine.delete(Number(request.params[0])) });
      }
    });
  });

  const listen = (port: number) =>
    new Promise<number>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject);
        resolve((server.address() as AddressInfo).port);
      });
    });
  const goDown = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  const port = await listen(0);

  return {
    rpcUrl: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}`,
    asked,
    get mostAtOnce() {
      return mostAtOnce;
    },
    countOf: (method) => asked.filter((request) => request.method === method).length,
    fail(method, fault, times = Number.POSITIVE_INFINITY) {
      faults.set(method, [...(faults.get(method) ?? []), { fault, left: times }]);
    },
    heal(method) {
      if (method === undefined) faults.clear();
      else faults.delete(method);
    },
    answer: (method, answer) => void answers.set(method, answer),
    announce(address, signature, slot) {
      for (const [client, mine] of subscribers) {
        for (const [subscription, followed] of mine) {
          if (followed !== address) continue;
          const result = { context: { slot }, value: { signature, err: null, logs: [] } };
          const params = { result, subscription };
          client.send(JSON.stringify({ jsonrpc: '2.0', method: 'logsNotification', params }));
        }
      }
    },
    subscribed: () => [...subscribers.values()].flatMap((mine) => [...mine.values()]),
    babble(text) {
      for (const client of webSockets.clients) client.send(text);
    },
    cutSockets() {
      for (const client of webSockets.clients) client.terminate();
    },
    goDown,
    async comeBack() {
      await listen(port);
    },
    async [Symbol.asyncDispose]() {
      webSockets.close();
      await goDown();
    },
  };
}

async function readRequest(incoming: IncomingMessage): Promise<Request | Request[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Request | Request[];
  if (Array.isArray(body)) return body.map(({ id, method, params }) => ({ id, method, params }));
  return { id: body.id, method: body.method, params: body.params };
}

/** Forwards messages in both directions. When one side ends, the other ends, too. */
function join(client: WebSocket, upstream: WebSocket): void {
  const early: string[] = [];
  client.on('message', (data: Buffer) => {
    const text = data.toString('utf8');
    if (upstream.readyState === WebSocket.OPEN) upstream.send(text);
    else early.push(text);
  });
  upstream.on('open', () => {
    for (const text of early) upstream.send(text);
  });
  upstream.on('message', (data: Buffer) => client.send(data.toString('utf8')));
  upstream.on('error', () => client.terminate());
  upstream.on('close', () => client.terminate());
  client.on('close', () => upstream.terminate());
}
