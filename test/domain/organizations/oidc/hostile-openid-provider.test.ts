import { createHmac, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { isLucarneError } from '../../../../src/platform/kernel/errors.js';
import { silentLog } from '../../../../src/platform/kernel/log.js';
import { systemRandom } from '../../../../src/platform/kernel/random.js';
import { createOpenIdProvider, type OpenIdProvider } from '../../../../src/domain/organizations/index.js';
import { newAttempt } from '../../../../src/domain/organizations/oidc/sign-in-attempt.js';
import type { Foundation } from '../../../../src/platform/database/index.js';
import { listen } from '../../../kit/process/local-server.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const newKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const key = newKey();
const REFUSED = /^(UNAUTHENTICATED|UNAVAILABLE)$/;
/** Follows `Date.now`, like the library. */
const clock = { now: () => new Date(Date.now()) };
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const answering =
  (body: unknown): Handler =>
  (_, response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const jwk = (key: KeyObject, kid = 'stub') => ({
  ...key.export({ format: 'jwk' }),
  ...{ use: 'sig', alg: 'RS256', kid },
});

/** Each path can be made to lie with a response of the test. */
describe('an OpenID provider that lies', () => {
  let server: Server;
  let issuer: string;
  let provider: OpenIdProvider;
  let paths: Record<string, Handler>;
  /** The requests, by path. */
  let asked: string[];
  const foundation = { clock, random: systemRandom } as unknown as Foundation;

  beforeEach(async () => {
    asked = [];
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      (paths[request.url ?? ''] ?? ((_, missing) => void missing.writeHead(404).end()))(request, response);
    });
    issuer = `http://127.0.0.1:${await listen(server)}`;
    paths = {
      '/.well-known/openid-configuration': answering(metadata()),
      '/keys': answering({ keys: [jwk(key.publicKey)] }),
    };
    provider = createOpenIdProvider({
      issuer: new URL(issuer),
      clientId: 'lucarne',
      clientSecret: 'secret',
      redirectUri: () => 'http://127.0.0.1:1/auth/oidc/callback',
      clock,
      log: silentLog,
    });
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const metadata = (members: object = {}) => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    id_token_signing_alg_values_supported: ['RS256'],
    ...members,
  });

  interface Forgery {
    readonly header?: object;
    readonly signature?: (text: string) => Buffer;
  }
  /** `undefined` if the person is signed in. */
  async function refusal({
    header = { alg: 'RS256', kid: 'stub' },
    signature = (text) => sign('sha256', Buffer.from(text), key.privateKey),
  }: Forgery = {}): Promise<string | undefined> {
    const attempt = newAttempt(foundation, '/');
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: issuer,
      sub: 'person',
      aud: 'lucarne',
      nonce: attempt.nonce,
      iat: now,
      exp: now + 300,
    };
    const text = `${encode(header)}.${encode(claims)}`;
    paths['/token'] ??= answering({
      access_token: 'access',
      token_type: 'bearer',
      id_token: `${text}.${signature(text).toString('base64url')}`,
    });
    try {
      await provider.identify(attempt, { state: attempt.state, code: 'code' }, '192.0.2.1');
      return undefined;
    } catch (thrown) {
      return isLucarneError(thrown) ? thrown.code : String(thrown);
    }
  }

  it('is trusted while it is honest', async () => {
    expect(await refusal()).toBeUndefined();
  });

  it.each([
    ['its public key as PEM', () => key.publicKey.export({ format: 'pem', type: 'spki' })],
    ['its public key as JWK', () => JSON.stringify(jwk(key.publicKey))],
    ['our own secret', () => 'secret'],
  ])('is not believed with a token of HS256 under %s', async (_, secret) => {
    const hmac = (text: string) => createHmac('sha256', secret()).update(text).digest();
    paths['/.well-known/openid-configuration'] = answering(
      metadata({ id_token_signing_alg_values_supported: ['HS256', 'none', 'RS256'] }),
    );
    expect(await refusal({ header: { alg: 'HS256', kid: 'stub' }, signature: hmac })).toMatch(REFUSED);
    delete paths['/token'];
    const nothing = () => Buffer.alloc(0);
    expect(await refusal({ header: { alg: 'none' }, signature: nothing })).toMatch(REFUSED);
  });

  it('is not trusted with a key that the token itself contains or names', async () => {
    const other = newKey();
    const signature = (text: string) => sign('sha256', Buffer.from(text), other.privateKey);
    for (const header of [
      { alg: 'RS256', kid: 'stub', jwk: jwk(other.publicKey) },
      { alg: 'RS256', kid: 'stub', jku: `${issuer}/other-keys` },
    ]) {
      delete paths['/token'];
      expect(await refusal({ header, signature })).toBe('UNAUTHENTICATED');
    }
    expect(asked).not.toContain('/other-keys');
  });

  it.each<[string, unknown]>([
    ['too many keys', { keys: Array.from({ length: 2_000 }, () => jwk(key.publicKey)) }],
    ['keys nested too deep', JSON.parse(`{"keys":${'['.repeat(1_000)}${']'.repeat(1_000)}}`)],
    ['no keys', { keys: [] }],
    ['nothing of the form of keys', ['keys']],
  ])('is not believed with %s', async (_, keys) => {
    paths['/keys'] = answering(keys);
    expect(await refusal()).toMatch(REFUSED);
  });

  it.each(['/.well-known/openid-configuration', '/keys', '/token'])(
    'does not redirect us from %s',
    async (path) => {
      paths['/secret'] = paths[path] ?? answering({});
      paths[path] = (_, response) => void response.writeHead(307, { location: `${issuer}/secret` }).end();
      expect(await refusal()).toMatch(REFUSED);
      expect(asked).not.toContain('/secret');
    },
  );

  it.each(['/.well-known/openid-configuration', '/keys', '/token'])(
    'does not keep us waiting longer than some seconds if %s comes byte by byte',
    async (path) => {
      paths[path] = (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{');
        const drip = setInterval(() => response.write(' '), 100);
        response.on('close', () => clearInterval(drip));
      };
      expect(await refusal()).toBe('UNAVAILABLE');
    },
    30_000,
  );

  it('is refused if it claims to be another issuer', async () => {
    paths['/.well-known/openid-configuration'] = answering(metadata({ issuer: 'https://other.example' }));
    expect(await refusal()).toBe('UNAVAILABLE');
    expect(asked).toEqual(['/.well-known/openid-configuration']);
  });

  it('is trusted with its next key after a rotation, once the cached key set is a minute old', async () => {
    expect(await refusal()).toBeUndefined();
    const next = newKey();
    paths['/keys'] = answering({ keys: [jwk(next.publicKey, 'next')] });
    delete paths['/token'];
    const signature = (text: string) => sign('sha256', Buffer.from(text), next.privateKey);
    const header = { alg: 'RS256', kid: 'next' };
    // Invented key ids cause at most one request for the keys per minute.
    expect(await refusal({ header, signature })).toBe('UNAUTHENTICATED');
    const later = Date.now() + 61_000;
    const now = jest.spyOn(Date, 'now').mockImplementation(() => later);
    try {
      delete paths['/token'];
      expect(await refusal({ header, signature })).toBeUndefined();
    } finally {
      now.mockRestore();
    }
  });
});
