import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  badUserInput,
  conflict,
  ERROR_CODES,
  forbidden,
  invalidMember,
  invalidMembers,
  LucarneError,
  tooManyRequests,
  unavailable,
} from '../../../src/platform/kernel/errors.js';
import { INTERNAL_MESSAGE } from '../../../src/edge/graphql/index.js';
import { ERROR_STATUS } from '../../../src/edge/graphql/error-table.js';
import { startRestServer, type RestServer } from './server/rest-server.js';
import { stubContext, stubSchema, type Stubs } from './server/stub-schema.js';

let server: RestServer | undefined;

afterEach(async () => {
  await server?.[Symbol.asyncDispose]();
  server = undefined;
});

async function serve(stubs: Stubs): Promise<RestServer> {
  server = await startRestServer({ schema: stubSchema(stubs), contextFor: stubContext });
  return server;
}

const throwing = (error: unknown) => () => {
  throw error;
};

describe('an error of an operation', () => {
  it.each(ERROR_CODES)('%s has its status and the common error shape', async (code) => {
    const { call } = await serve({ asset: throwing(new LucarneError(code, 'What is wrong.')) });
    const answer = await call('GET', '/v1/assets/x');
    expect(answer.status).toBe(ERROR_STATUS[code]);
    expect(answer.body).toEqual({
      statusCode: answer.status,
      message: code === 'INTERNAL_SERVER_ERROR' ? INTERNAL_MESSAGE : 'What is wrong.',
      error: expect.stringMatching(/^[A-Z]/),
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('contains the reason phrase of the status', async () => {
    const { call } = await serve({ asset: throwing(conflict('Bound elsewhere.')) });
    expect((await call('GET', '/v1/assets/x')).text).toBe(
      '{"statusCode":409,"message":"Bound elsewhere.","error":"Conflict"}',
    );
  });

  it('omits its reason on a surface without reasons', async () => {
    const { call } = await serve({ asset: throwing(forbidden('No.', { reason: 'second_factor_required' })) });
    expect((await call('GET', '/v1/assets/x')).body).not.toHaveProperty('reason');
  });

  it.each([
    ['429', tooManyRequests('Slower.', 17)],
    ['503', unavailable('Full.', { retryAfterSeconds: 17 })],
  ])('says when to try again if it has %s', async (_, error) => {
    const { call } = await serve({ asset: throwing(error) });
    expect((await call('GET', '/v1/assets/x')).headers.get('retry-after')).toBe('17');
  });

  it('asks for a bearer key on 401 of an API-key route, but not on a session route', async () => {
    const { call } = await serve({});
    const ofKey = await call('GET', '/v1/assets/x', { key: 'nobody' });
    const ofSession = await call('GET', '/auth/me', { key: 'nobody' });
    expect([ofKey.status, ofKey.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect([ofSession.status, ofSession.headers.get('www-authenticate')]).toEqual([401, null]);
  });

  it('names members as the request does, and reports all of them together', async () => {
    const { call } = await serve({
      transactions: throwing(
        invalidMembers([
          { member: 'after', problem: 'is not a cursor of this listing' },
          { member: 'after[2].first', problem: 'is odd' },
          { member: 'constructor', problem: 'is reserved' },
          { member: 'afterwards', problem: 'is late' },
        ]),
      ),
    });
    const answer = await call('GET', '/v1/assets/x/transactions?cursor=zzz');
    expect(answer.body).toMatchObject({
      statusCode: 400,
      message:
        'cursor is not a cursor of this listing. cursor[2].first is odd. constructor is reserved. afterwards is late.',
    });
  });

  it('is returned word for word if it is about no member', async () => {
    const { call } = await serve({ transactions: throwing(badUserInput('after all, this is no member.')) });
    const answer = await call('GET', '/v1/assets/x/transactions');
    expect(answer.body).toMatchObject({ statusCode: 400, message: 'after all, this is no member.' });
  });

  it('keeps its reason and members on a surface that has reasons', async () => {
    const { call } = await serve({
      checkAddress: throwing(
        invalidMember('network', 'must be one of solana', { reason: 'invalid_network' }),
      ),
    });
    const body = { network: 'solana', address: 'x', applicationId: 'y' };
    const answer = await call('POST', '/check', { body });
    expect(answer.body).toMatchObject({
      message: 'network must be one of solana.',
      reason: 'invalid_network',
    });
  });
});

describe('an internal failure', () => {
  const secret = 'password of postgres is hunter2';

  it('does not reveal its cause, and logs it under the request id', async () => {
    const { call, log } = await serve({ asset: throwing(new Error(secret)) });
    const answer = await call('GET', '/v1/assets/x', { headers: { 'x-request-id': 'trace-me' } });
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('hunter2');
    const line = log()
      .split('\n')
      .find((entry) => entry.includes('hunter2'));
    expect(line).toContain('trace-me');
  });

  it('is not reported when a client disconnects within its body', async () => {
    const { app, url, call, log } = await serve({});
    const { hostname, port } = new URL(url);
    const arrived = once(app.server, 'request') as Promise<[IncomingMessage]>;
    const socket = connect(Number(port), hostname);
    const head = ['POST /check HTTP/1.1', 'Host: x', 'Content-Type: application/json', 'Content-Length: 9'];
    socket.write(`${head.join('\r\n')}\r\n\r\n{`);
    const [request] = await arrived;
    const gone = new Promise((resolve) => request.once('close', resolve));
    socket.destroy();
    await gone;
    expect((await call('GET', '/nowhere')).status).toBe(404);
    expect(log()).not.toContain('"level":50');
  });

  it('is a 500 if a field returns null where it must not', async () => {
    const { call } = await serve({ asset: () => null });
    const answer = await call('GET', '/v1/assets/x');
    expect(answer.status).toBe(500);
    expect(answer.text).not.toMatch(/Asset|null/);
  });

  it('is a 500 if the credentials cannot be read for an internal reason', async () => {
    server = await startRestServer({
      schema: stubSchema({}),
      contextFor: () => Promise.reject(new Error(secret)),
    });
    const answer = await server.call('GET', '/v1/assets/x');
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('hunter2');
  });

  it('logs the cause of an UNAVAILABLE without returning it', async () => {
    const { call, log } = await serve({
      asset: throwing(unavailable('The database is out of reach.', { cause: new Error(secret) })),
    });
    const answer = await call('GET', '/v1/assets/x');
    expect(answer.body).toMatchObject({ statusCode: 503, message: 'The database is out of reach.' });
    expect(log()).toContain('hunter2');
  });

  it('is logged as an error if something failed, but not for lack of capacity', async () => {
    const { call, log } = await serve({
      asset: throwing(unavailable('AWS KMS does not answer.', { retryAfterSeconds: 5 })),
    });
    expect((await call('GET', '/v1/assets/x')).status).toBe(503);
    expect(log()).toMatch(/"level":50,.*AWS KMS does not answer/);
  });
});

describe('a value that GraphQL itself refuses', () => {
  it('is a 400 that names the member and does not mention GraphQL', async () => {
    const schema = stubSchema(
      { transactions: () => ({ nodes: [], pageInfo: { hasNextPage: false } }) },
      (definitions) => definitions.replace(/^ {2}confidential_burn$/gm, '  confidential_bonfire'),
    );
    server = await startRestServer({ schema, contextFor: stubContext });
    // REST accepts the type, but the schema has no such value.
    const answer = await server.call('GET', '/v1/assets/x/transactions?type=confidential_burn');
    expect(answer.body).toEqual({
      statusCode: 400,
      message: 'type has the wrong form.',
      error: 'Bad Request',
    });
  });
});

describe('a request on an open connection of a stopping server', () => {
  const RELAY = '/api/relay-requests/rly_5r8kq2m0v4e1atjb7x9nw3h6cz';

  /** The answers to two requests on one connection. The server is asked to stop while it answers the first. */
  async function answersAround(path: string): Promise<string[]> {
    const [asked, answered] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const { app, url } = await serve({
      asset: async () => {
        asked.resolve(undefined);
        await answered.promise;
        throw conflict('Bound elsewhere.');
      },
    });
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const closed = once(socket, 'close');
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    const ask = (at: string) =>
      socket.write(`GET ${at} HTTP/1.1\r\nHost: x\r\nOrigin: https://wallet.example\r\n\r\n`);
    ask('/v1/assets/x');
    await asked.promise;
    const stopped = app.close();
    while (app.server.listening) await setImmediate();
    ask(path);
    await setTimeout(50);
    answered.resolve(undefined);
    await Promise.all([closed, stopped]);
    return received.split(/(?=HTTP\/1\.1 )/);
  }

  it.each<[string, string | undefined]>([
    [RELAY, 'relayer_unavailable'],
    ['/check', 'unavailable'],
    ['/v1/assets/x', undefined],
    ['/nowhere', undefined],
  ])('is refused in the shape of all refusals, and told when to try again: %s', async (path, reason) => {
    const [completed, refused = ''] = await answersAround(path);
    expect(completed).toMatch(/^HTTP\/1\.1 409 /);
    expect(refused).toMatch(/^HTTP\/1\.1 503 /);
    expect(refused).toMatch(/^retry-after: 1\r$/im);
    expect(refused).toMatch(/^x-request-id: \S+\r$/im);
    expect(JSON.parse(refused.slice(refused.indexOf('\r\n\r\n')))).toEqual({
      statusCode: 503,
      message: 'The gateway is stopping.',
      error: 'Service Unavailable',
      ...(reason === undefined ? {} : { reason }),
    });
    expect(/^access-control-allow-origin: \*\r$/im.test(refused)).toBe(reason !== undefined);
  });
});
