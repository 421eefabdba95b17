import { describe, expect, it } from '@jest/globals';
import { tooManyRequests } from '../../../../src/platform/kernel/errors.js';
import { routes } from '../../../../src/edge/rest/routes.js';
import { startRestServer } from './rest-server.js';
import { stubContext, stubSchema } from './stub-schema.js';
import { forFile } from '../../../kit/for-file.js';

const WALLET = 'https://wallet.example';
const PORTAL = 'https://portal.example';
const CHECK = { network: 'solana', address: 'x', applicationId: 'y' };
const OPEN = ['/check', '/api/relay-requests', '/api/relay-requests/x', '/api/relay-requests/x/attempts'];

const schema = stubSchema({
  checkAddress: () => {
    throw tooManyRequests('Slower.', 17);
  },
});
const server = forFile(await startRestServer({ schema, contextFor: stubContext, allowedOrigins: [PORTAL] }));

describe('a page of another origin', () => {
  const corsOf = async (method: string, path: string, headers: Record<string, string>, body?: unknown) => {
    const answer = await server.call(method, path, { headers, ...(body === undefined ? {} : { body }) });
    const header = (name: string) => answer.headers.get(`access-control-${name}`);
    return {
      status: answer.status,
      origin: header('allow-origin'),
      credentials: header('allow-credentials'),
      exposed: header('expose-headers'),
      methods: header('allow-methods'),
      requestHeaders: header('allow-headers'),
    };
  };

  it('may read the responses of routes without credentials, including errors and their headers', async () => {
    expect(await corsOf('POST', '/check', { origin: WALLET }, CHECK)).toMatchObject({
      status: 429,
      origin: '*',
      credentials: null,
      exposed: 'Retry-After, X-Request-Id',
    });
    expect(await corsOf('POST', '/check', { origin: WALLET }, '{')).toMatchObject({
      status: 400,
      origin: '*',
    });
    expect(await corsOf('GET', '/api/relay-requests/x/y/z', { origin: WALLET })).toMatchObject({
      status: 404,
      origin: null,
    });
  });

  it('may read why the relayer refuses a request, wherever the refusal comes from', async () => {
    const relays = '/api/relay-requests';
    const answers = [
      await corsOf('POST', relays, { origin: WALLET }, '{'),
      await corsOf('POST', relays, { origin: WALLET }, { padding: 'x'.repeat(70_000) }),
      await corsOf('POST', relays, { origin: WALLET, 'content-type': 'text/plain' }, 'x'),
      await corsOf('DELETE', relays, { origin: WALLET }),
      await corsOf('GET', `${relays}/${'x'.repeat(300)}`, { origin: WALLET }),
      await corsOf('GET', `${relays}/%zz`, { origin: WALLET }),
      await corsOf('PUT', `${relays}/x`, { origin: WALLET }),
      await corsOf('POST', `${relays}/x/attempts`, { origin: WALLET }, { force: true }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 413, 415, 405, 414, 400, 405, 400]);
    for (const answer of answers)
      expect(answer).toMatchObject({ origin: '*', credentials: null, exposed: 'Retry-After, X-Request-Id' });
  });

  it.each(OPEN)('may send JSON to %s', async (path) => {
    const preflight = {
      origin: WALLET,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    };
    const answer = await corsOf('OPTIONS', path, preflight);
    expect(answer).toMatchObject({ status: 204, origin: '*', credentials: null });
    expect(answer.methods).toContain('POST');
    expect(answer.requestHeaders?.toLowerCase()).toContain('content-type');
  });

  it('cannot read any other route, and is told so before it sends a request', async () => {
    const others = routes.filter(({ credentials }) => credentials !== 'none');
    expect(others.length).toBeGreaterThan(20);
    for (const { method, path } of others) {
      const url = path.replace(/\{\w+\}/g, 'x');
      const preflight = { origin: WALLET, 'access-control-request-method': method };
      for (const answer of [
        await corsOf(method, url, { origin: WALLET }),
        await corsOf('OPTIONS', url, preflight),
      ])
        expect({ url, ...answer }).toMatchObject({ url, origin: null, credentials: null, methods: null });
    }
  });

  it('may use every route if its origin is allowed, with its credentials', async () => {
    expect(await corsOf('GET', '/auth/me', { origin: PORTAL, authorization: 'Bearer nobody' })).toMatchObject(
      {
        status: 401,
        origin: PORTAL,
        credentials: 'true',
        exposed: 'Retry-After, X-Request-Id',
      },
    );
    const preflight = { origin: PORTAL, 'access-control-request-method': 'PATCH' };
    expect(await corsOf('OPTIONS', '/v1/assets/x/mint', preflight)).toMatchObject({
      status: 204,
      origin: PORTAL,
      methods: expect.stringContaining('PATCH'),
    });
    for (const origin of [
      `${PORTAL}.evil.example`,
      'https://portal.example:8443',
      'http://portal.example',
      'null',
    ])
      expect(await corsOf('GET', '/auth/me', { origin })).toMatchObject({ origin: null });
  });

  it('gets responses that tell caches to vary by origin', async () => {
    expect((await server.call('GET', '/auth/me')).headers.get('vary')).toBe('Origin');
  });
});
