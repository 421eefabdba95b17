import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { createAdmission } from '../../../../src/edge/graphql/index.js';
import { createHttpServer, createRegistry } from '../../../../src/platform/http/index.js';
import { refuseFor, registerRest, type RestOptions } from '../../../../src/edge/rest/index.js';
import { systemClock } from '../../../../src/platform/kernel/clock.js';

export interface RestCall {
  readonly key?: string;
  readonly cookie?: string;
  /** Sent as JSON. A string is sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; `undefined` if it is empty or not JSON. */
  readonly body: unknown;
}

export interface RestServer extends AsyncDisposable {
  readonly url: string;
  readonly app: FastifyInstance;
  /** The lines logged so far. */
  readonly log: () => string;
  readonly call: (method: string, path: string, call?: RestCall) => Promise<RestAnswer>;
}

/** Files are empty unless their bytes are given, and each server has its own budget. */
type TestRestOptions = Omit<RestOptions, 'fileBytes' | 'admission'> &
  Partial<RestOptions> & {
    /** As in `createHttpServer`. */
    readonly silenceMs?: number;
  };

/** The REST routes over real HTTP on a free port, with the server that all APIs share. */
export async function startRestServer(
  options: TestRestOptions | ((port: () => number) => TestRestOptions),
): Promise<RestServer> {
  const lines: string[] = [];
  const stream = new PassThrough();
  stream.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
  const { silenceMs, allowedOrigins = [] } = typeof options === 'function' ? {} : options;
  const app = await createHttpServer({
    ...(silenceMs === undefined ? {} : { silenceMs }),
    log: pino({}, stream),
    registry: createRegistry(),
    trustProxy: false,
    refuse: refuseFor(allowedOrigins),
  });
  const port = () => (app.server.address() as AddressInfo).port;
  await registerRest(app, {
    fileBytes: () => Readable.from([]),
    admission: createAdmission({ clock: systemClock }),
    ...(typeof options === 'function' ? options(port) : options),
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${port()}`;
  return {
    url,
    app,
    log: () => lines.join(''),
    call: (method, path, call = {}) => callRest(`${url}${path}`, method, call),
    async [Symbol.asyncDispose]() {
      await app.close();
    },
  };
}

/** One request over real HTTP. */
export async function callRest(url: string, method: string, call: RestCall = {}): Promise<RestAnswer> {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(call.key === undefined ? {} : { authorization: `Bearer ${call.key}` }),
      ...(call.cookie === undefined ? {} : { cookie: call.cookie }),
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...call.headers,
    },
    ...(call.body === undefined
      ? {}
      : { body: typeof call.body === 'string' ? call.body : JSON.stringify(call.body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parseJson(text) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
