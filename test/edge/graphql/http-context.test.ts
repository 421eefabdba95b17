import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fastifyCookie from '@fastify/cookie';
import { fastify, type FastifyInstance } from 'fastify';
import { createAdmission, createContextFactory, type Credentials } from '../../../src/edge/graphql/index.js';
import { type RequestKind, requireOwnOrigin } from '../../../src/edge/graphql/http-context.js';
import { systemClock } from '../../../src/platform/kernel/clock.js';
import { isLucarneError } from '../../../src/platform/kernel/errors.js';
import { type PresentedCredentials, requireCookie } from '../../../src/domain/access/index.js';

/** A gateway served over https. Every path reads the named credentials and sets both cookies. */
describe('the cookies of a gateway with an https public URL', () => {
  let app: FastifyInstance;
  let presented: PresentedCredentials[] = [];

  beforeAll(async () => {
    app = fastify();
    await app.register(fastifyCookie);
    const authenticate = (credentials: PresentedCredentials) => {
      presented.push(credentials);
      return Promise.resolve(undefined);
    };
    const contextFor = createContextFactory({
      authenticator: { authenticate, identify: authenticate, [Symbol.asyncDispose]: () => Promise.resolve() },
      admission: createAdmission({ clock: systemClock }),
      publicUrl: new URL('https://lucarne.example'),
      port: () => 4000,
      started: () => true,
    });
    app.post<{ Params: { credentials: Credentials } }>('/:credentials', async (request, reply) => {
      try {
        const context = await contextFor(request, reply, request.params.credentials, 'change');
        requireCookie(context.sessionCookie).set('a-session');
        requireCookie(context.attemptCookie).set('an-attempt');
        return { attempt: context.attemptCookie?.token ?? null };
      } catch (thrown) {
        return reply.code(isLucarneError(thrown) && thrown.code === 'FORBIDDEN' ? 403 : 500).send();
      }
    });
    app.get<{ Params: { credentials: Credentials; kind: RequestKind } }>(
      '/:credentials/:kind',
      async (request, reply) => {
        try {
          await contextFor(request, reply, request.params.credentials, request.params.kind);
          return await reply.send();
        } catch (thrown) {
          return reply.code(isLucarneError(thrown) && thrown.code === 'FORBIDDEN' ? 403 : 500).send();
        }
      },
    );
  });
  afterAll(() => app.close());

  function ask(credentials: Credentials, headers: Record<string, string>) {
    presented = [];
    return app.inject({ method: 'POST', url: `/${credentials}`, headers });
  }
  const own = { origin: 'https://lucarne.example' };

  it('are bound to this host, sent only over https, and not readable by scripts', async () => {
    const { headers } = await ask('session', own);
    expect(headers['set-cookie']).toEqual([
      '__Host-lucarne=a-session; Path=/; HttpOnly; Secure; SameSite=Lax',
      '__Host-lucarne-sign-in=an-attempt; Max-Age=600; Path=/; HttpOnly; Secure; SameSite=Lax',
    ]);
  });

  it('are accepted only under these names, because other hosts of the site can set others', async () => {
    const { body } = await ask('session', { ...own, cookie: 'lucarne=planted; lucarne-sign-in=planted' });
    expect([presented, body]).toEqual([[{}], '{"attempt":null}']);
    await ask('session', { ...own, cookie: '__Host-lucarne=mine' });
    expect(presented).toEqual([{ sessionToken: 'mine' }]);
  });

  it('are accepted for a change only from a page of the same origin', async () => {
    const cookie = '__Host-lucarne=mine';
    for (const origin of [
      'http://lucarne.example',
      'https://lucarne.example:8443',
      'https://www.lucarne.example',
      'https://lucarne.example.evil.example',
      'http://127.0.0.1:4000',
      'null',
    ]) {
      expect((await ask('any', { origin, cookie })).statusCode).toBe(403);
      expect((await ask('session', { origin })).statusCode).toBe(403);
    }
    expect((await ask('any', { cookie, 'sec-fetch-site': 'same-site' })).statusCode).toBe(403);
    expect((await ask('any', { cookie })).statusCode).toBe(200);
    expect((await ask('any', { ...own, cookie })).statusCode).toBe(200);
  });

  it('are not accepted for a read that another page started, because the log would say that the person read it', async () => {
    const cookie = '__Host-lucarne=mine';
    const read = async (kind: RequestKind, headers: Record<string, string>) => {
      const { statusCode } = await app.inject({ url: `/session/${kind}`, headers: { cookie, ...headers } });
      return statusCode;
    };
    for (const headers of [
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
      // A picture on a page of the same site, whose requests have the cookie.
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' },
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    ]) {
      expect(await read('read', headers)).toBe(403);
      // The browser comes back from the identity provider.
      expect(await read('arrival', headers)).toBe(200);
    }
    // The portal's own pages, an address that the person typed, and a client that is no browser.
    for (const headers of [{ 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }, {}])
      expect(await read('read', headers)).toBe(200);
  });

  it('are not set for a page of another origin, even if it signs in over GraphQL', async () => {
    for (const page of [
      { origin: 'https://evil.example' },
      // A foreign host name that leads to the gateway does not make a page one of ours.
      { origin: 'http://evil.example:4000' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      const { statusCode, headers } = await ask('any', page);
      expect([statusCode, headers['set-cookie']]).toEqual([403, undefined]);
    }
    for (const page of [own, {}]) expect((await ask('any', page)).statusCode).toBe(200);
  });

  it('are ignored if there is a bearer key, and where a key is required', async () => {
    const cookie = '__Host-lucarne=mine';
    await ask('any', { cookie, authorization: 'Bearer lck_1' });
    expect(presented).toEqual([{ bearer: 'lck_1' }]);
    await ask('api_key', { cookie });
    expect(presented).toEqual([{}]);
  });
});

describe('a gateway on this machine', () => {
  const accepts = (publicUrl: string | undefined, origin: string) => {
    try {
      requireOwnOrigin(
        { origin },
        { publicUrl: publicUrl === undefined ? undefined : new URL(publicUrl), port: () => 4000 },
      );
      return true;
    } catch {
      return false;
    }
  };

  it.each([undefined, 'http://127.0.0.1:4000', 'http://localhost:4000', 'http://[::1]:4000'])(
    'with the public URL %s is used under each name of the machine, as its links and passkeys name “localhost”',
    (publicUrl) => {
      for (const host of ['127.0.0.1', 'localhost', '[::1]'])
        expect([host, accepts(publicUrl, `http://${host}:4000`)]).toEqual([host, true]);
      for (const origin of ['http://localhost:4001', 'https://localhost:4000', 'http://evil.example:4000'])
        expect([origin, accepts(publicUrl, origin)]).toEqual([origin, false]);
    },
  );

  it('with a public URL elsewhere is not used under a name of the machine', () => {
    expect(accepts('http://10.0.0.1:4000', 'http://localhost:4000')).toBe(false);
  });
});
