import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { listen } from '../../../kit/process/local-server.js';
import { fc } from '../../../kit/properties.js';
import { systemClock } from '../../../../src/platform/kernel/clock.js';
import { isLucarneError } from '../../../../src/platform/kernel/errors.js';
import { silentLog } from '../../../../src/platform/kernel/log.js';
import { systemRandom } from '../../../../src/platform/kernel/random.js';
import { createOpenIdProvider, type OpenIdProvider } from '../../../../src/domain/organizations/index.js';
import {
  newAttempt,
  openAttempt,
  parseReturnTo,
  sealAttempt,
  type SignInAttempt,
} from '../../../../src/domain/organizations/oidc/sign-in-attempt.js';
import type { Foundation } from '../../../../src/platform/database/index.js';
import { createSealer } from '../../../../src/platform/crypto/index.js';

const key = generateKeyPairSync('rsa', { modulusLength: 2048 });
const otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

function tokenOf(
  claims: object,
  signingKey: KeyObject,
  header: object = { alg: 'RS256', kid: 'stub' },
): string {
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), signingKey).toString('base64url')}`;
}

/** A provider that answers as the test decides, including invalid answers. */
describe('a provider response', () => {
  let server: Server;
  let issuer: string;
  let provider: OpenIdProvider;
  let tokenAnswer: () => { status?: number; body: unknown };
  let personAnswer: () => unknown = () => ({});
  const foundation = {
    clock: systemClock,
    random: systemRandom,
    sealer: createSealer(systemRandom(32)),
  } as unknown as Foundation;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const answers: Record<string, (() => { status?: number; body: unknown }) | undefined> = {
        '/.well-known/openid-configuration': () => ({
          body: {
            issuer,
            authorization_endpoint: `${issuer}/authorize`,
            token_endpoint: `${issuer}/token`,
            userinfo_endpoint: `${issuer}/me`,
            jwks_uri: `${issuer}/keys`,
            id_token_signing_alg_values_supported: ['RS256'],
          },
        }),
        '/keys': () => ({
          body: {
            keys: [{ ...key.publicKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'stub' }],
          },
        }),
        '/me': () => ({ body: personAnswer() }),
      };
      const answer = answers[request.url ?? ''] ?? tokenAnswer;
      const { status = 200, body } = answer();
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    issuer = `http://127.0.0.1:${await listen(server)}`;
    provider = createOpenIdProvider({
      issuer: new URL(issuer),
      clientId: 'lucarne',
      clientSecret: 'secret',
      redirectUri: () => 'http://127.0.0.1:1/auth/oidc/callback',
      clock: systemClock,
      log: silentLog,
    });
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  interface Forgery {
    readonly claims?: object;
    readonly signingKey?: KeyObject;
    readonly header?: object;
    /** Additional members of the answer that contains the ID token. */
    readonly members?: object;
  }

  function identify(
    { claims = {}, signingKey = key.privateKey, header, members }: Forgery = {},
    clientAddress = '192.0.2.1',
  ) {
    const attempt = newAttempt(foundation, '/');
    const now = Math.floor(Date.now() / 1000);
    tokenAnswer = () => ({
      body: {
        ...members,
        access_token: 'access',
        token_type: 'bearer',
        id_token: tokenOf(
          {
            iss: issuer,
            sub: 'person',
            aud: 'lucarne',
            nonce: attempt.nonce,
            iat: now,
            exp: now + 300,
            ...claims,
          },
          signingKey,
          header,
        ),
      },
    });
    return provider.identify(attempt, { state: attempt.state, code: 'code' }, clientAddress);
  }

  const codeOf = (promise: Promise<unknown>) =>
    promise.then(
      () => 'LET_THROUGH',
      (thrown: unknown) => (isLucarneError(thrown) ? thrown.code : String(thrown)),
    );
  const ago = (seconds: number) => Math.floor(Date.now() / 1000) - seconds;

  it('identifies the person if it is valid', async () => {
    expect(await identify({ claims: { amr: ['pwd', 'mfa'] } })).toMatchObject({
      issuer,
      subject: 'person',
      multiFactor: true,
    });
    expect(await identify()).toMatchObject({ multiFactor: false });
  });

  it('says when the person was asked, at the latest now', async () => {
    const asked = ago(600);
    const { authenticatedAt } = await identify({ claims: { auth_time: asked } });
    expect(authenticatedAt).toEqual(new Date(1000 * asked));
    const early = await identify({ claims: { auth_time: ago(-20) } });
    expect(early.authenticatedAt!.getTime()).toBeLessThanOrEqual(Date.now());
    expect((await identify()).authenticatedAt).toBeNull();
    expect(await codeOf(identify({ claims: { auth_time: 'yesterday' } }))).toBe('UNAUTHENTICATED');
  });

  it.each<[string, () => Forgery]>([
    ['of another issuer', () => ({ claims: { iss: 'https://evil.example' } })],
    ['for another client', () => ({ claims: { aud: 'another' } })],
    ['with the nonce of another request', () => ({ claims: { nonce: 'another' } })],
    ['without a nonce', () => ({ claims: { nonce: undefined } })],
    ['without a subject', () => ({ claims: { sub: undefined } })],
    ['that has expired by more than half a minute', () => ({ claims: { exp: ago(40) } })],
    ['from more than half a minute ahead', () => ({ claims: { iat: ago(-60) } })],
    ['from before the attempt began', () => ({ claims: { iat: ago(120) } })],
    ['not valid yet', () => ({ claims: { nbf: ago(-60) } })],
    ['signed by another key', () => ({ signingKey: otherKey })],
    ['that is not signed', () => ({ header: { alg: 'none' } })],
    ['signed by a key that is not known', () => ({ header: { alg: 'RS256', kid: 'unknown' } })],
  ])('is refused with an ID token %s', async (_name, forgery) => {
    expect(await codeOf(identify(forgery()))).toBe('UNAUTHENTICATED');
  });

  it('is not read completely if it is too long or nested too deeply', async () => {
    const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown;
    expect(await codeOf(identify({ members: { long: 'x'.repeat(200_000) } }))).toBe('LET_THROUGH');
    expect(await codeOf(identify({ members: { long: 'x'.repeat(300_000) } }))).toBe('UNAVAILABLE');
    expect(await codeOf(identify({ members: { deep: nested(10) } }))).toBe('LET_THROUGH');
    expect(await codeOf(identify({ members: { deep: nested(1_000) } }))).toBe('UNAVAILABLE');
  });

  it('may come from a slightly wrong clock', async () => {
    for (const off of [-20, 20]) {
      expect(await codeOf(identify({ claims: { iat: ago(off), nbf: ago(off) } }))).toBe('LET_THROUGH');
    }
    expect(await codeOf(identify({ claims: { exp: ago(20) } }))).toBe('LET_THROUGH');
  });

  it.each([
    ['that the code is wrong', 400, { error: 'invalid_grant' }, 'UNAUTHENTICATED'],
    ['that it does not know us', 401, { error: 'invalid_client' }, 'UNAVAILABLE'],
    ['that it failed', 500, { error: 'oops' }, 'UNAVAILABLE'],
    ['nothing that can be read', 200, 'words', 'UNAUTHENTICATED'],
    ['no ID token', 200, { access_token: 'a', token_type: 'bearer' }, 'UNAUTHENTICATED'],
  ])('causes the right error if it says %s', async (_name, status, body, code) => {
    const attempt = newAttempt(foundation, '/');
    tokenAnswer = () => ({ status, body });
    expect(
      await codeOf(provider.identify(attempt, { state: attempt.state, code: 'code' }, '192.0.2.1')),
    ).toBe(code);
  });

  it.each([
    ['verified in the ID token', { email: 'a@example.test', email_verified: true }, {}, 'a@example.test'],
    [
      'verified at the userinfo endpoint',
      {},
      { email: 'b@example.test', email_verified: true },
      'b@example.test',
    ],
    ['not verified', { email: 'c@example.test', email_verified: false }, {}, undefined],
    ['of which nothing is said', { email: 'd@example.test' }, {}, undefined],
    ['said to be verified in words', { email: 'e@example.test', email_verified: 'true' }, {}, undefined],
    ['absent', {}, {}, undefined],
  ])('names an address as verified only if it is: %s', async (_name, claims, person, email) => {
    personAnswer = () => ({ sub: 'person', ...person });
    expect(await (await identify({ claims })).verifiedEmail()).toBe(email);
  });

  it('is refused if the userinfo endpoint answers about another person', async () => {
    personAnswer = () => ({ sub: 'another', email: 'a@example.test', email_verified: true });
    const identity = await identify();
    expect(await codeOf(identity.verifiedEmail())).toBe('UNAUTHENTICATED');
  });

  it('is awaited by twenty concurrent sign-ins, and further ones are told to wait', async () => {
    const codes = await Promise.all(
      Array.from({ length: 25 }, (_, index) => codeOf(identify({}, `192.0.2.${index}`))),
    );
    expect(codes.filter((code) => code === 'UNAVAILABLE')).toHaveLength(5);
  });

  it('is awaited by five of them per client, so that one client cannot block the others', async () => {
    const codes = await Promise.all(
      Array.from({ length: 40 }, (_, index) => codeOf(identify({}, `2001:db8::${index}`))),
    );
    expect(codes.filter((code) => code === 'UNAVAILABLE')).toHaveLength(35);
  });

  it('counts as unreachable if it never arrives', async () => {
    const silent = createOpenIdProvider({
      issuer: new URL('http://127.0.0.1:1'),
      clientId: 'lucarne',
      clientSecret: 'secret',
      redirectUri: () => 'http://127.0.0.1:1/auth/oidc/callback',
      clock: systemClock,
      log: silentLog,
    });
    expect(await codeOf(silent.authorizationUrl(newAttempt(foundation, '/')))).toBe('UNAVAILABLE');
  });
});

describe('a sign-in attempt', () => {
  let instant = Date.parse('2026-11-21T10:00:00.000Z');
  const foundation = {
    clock: { now: () => new Date(instant) },
    random: systemRandom,
    sealer: createSealer(systemRandom(32)),
  } as unknown as Foundation;
  const opened = (cookie: string | undefined, state: string): SignInAttempt | undefined => {
    try {
      return openAttempt(foundation, cookie, state);
    } catch {
      return undefined;
    }
  };

  it('is valid for ten minutes, to the millisecond', () => {
    const attempt = newAttempt(foundation, '/cases');
    const cookie = sealAttempt(foundation, attempt);
    instant += 10 * 60_000 - 1;
    expect(opened(cookie, attempt.state)).toEqual(attempt);
    instant += 1;
    expect(opened(cookie, attempt.state)).toBeUndefined();
  });

  it('may come from an instance whose clock is ahead by at most 30 s', () => {
    const attempt = newAttempt(foundation, '/');
    const cookie = sealAttempt(foundation, attempt);
    instant -= 30_000;
    expect(opened(cookie, attempt.state)).toEqual(attempt);
    instant -= 1;
    expect(opened(cookie, attempt.state)).toBeUndefined();
  });

  it('can be completed only with its own cookie and state', () => {
    const attempt = newAttempt(foundation, '/');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(opened(text, attempt.state)).toBeUndefined();
        expect(opened(sealAttempt(foundation, attempt), text)).toBeUndefined();
      }),
    );
    expect(opened(undefined, attempt.state)).toBeUndefined();
  });
});

describe('a path to return to', () => {
  it.each(['/', '/cases', '/cases/cas_1?tab=log#top', '/%2F%2Fevil.example', '/a//b'])(
    'may be %s',
    (path) => {
      expect(parseReturnTo(path)).toBe(path);
    },
  );

  it.each([
    ...[
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      'https://evil.example',
      'javascript:alert(1)',
    ],
    ...['/\t/evil.example', '/\n//evil.example', 'cases', '', '/..//evil.example', '/./\\evil.example'],
    `/${'a'.repeat(600)}`,
  ])('may not be %j', (path) => {
    expect(() => parseReturnTo(path)).toThrow(/^returnTo must be a path/);
  });

  it('stays on the site for any input, as browsers parse it', () => {
    const site = 'https://lucarne.example';
    const nasty = fc.stringMatching(/^[/\\.@:\t\n a-z#?%-]{0,12}$/);
    fc.assert(
      fc.property(fc.oneof(nasty, fc.webPath(), fc.string()), (text) => {
        let path;
        try {
          path = parseReturnTo(text);
        } catch {
          return;
        }
        expect(new URL(path, `${site}/auth/oidc/callback`).origin).toBe(site);
      }),
      { numRuns: 500 },
    );
  });
});
