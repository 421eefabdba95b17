import { describe, expect, it } from '@jest/globals';
import { revokeApiKey } from '../../../src/domain/organizations/index.js';
import { sql } from '../../../src/platform/database/index.js';
import { eventually } from '../../kit/eventually.js';
import { forFile } from '../../kit/for-file.js';
import { graphql, sessionOf, startTestApp } from '../../kit/app.js';
import { SEED_PASSWORD, seedApiKey, seedMember, seedOrganization } from '../../kit/seed.js';
import { callRest, type RestCall } from './server/rest-server.js';

const app = forFile(await startTestApp());

const call = (method: string, path: string, options: RestCall = {}) =>
  callRest(`${app.url}${path}`, method, options);

const credentials = () => ({ email: app.organization.owner.email, password: SEED_PASSWORD });

async function signIn(): Promise<string> {
  const answer = await call('POST', '/auth/sign-in', { body: credentials() });
  expect(answer.status).toBe(200);
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
}

describe('signing in', () => {
  it('returns the same as /auth/me, and sets a cookie that scripts and foreign pages cannot use', async () => {
    const answer = await call('POST', '/auth/sign-in', { body: credentials() });
    const setCookie = answer.headers.get('set-cookie') ?? '';
    const me = await call('GET', '/auth/me', { cookie: setCookie.split(';')[0]! });
    expect(setCookie).toMatch(/^lucarne=[\w-]{43}; /);
    expect(setCookie).toContain('HttpOnly');
    expect(setCookie).toContain('SameSite=Lax');
    expect(me.text).toBe(answer.text);
    expect(me.body).toMatchObject({
      organization_info: { org_id: app.organization.organization.id, name: 'Acme' },
      owner: { 'applications:read': true, 'members:manage': true },
      applications: expect.any(Object),
    });
    expect(me.text).not.toContain('app_');
  });

  it('gives a wrong password and an unknown address the same response', async () => {
    const wrong = await call('POST', '/auth/sign-in', {
      body: { ...credentials(), password: 'not the password' },
    });
    const unknown = await call('POST', '/auth/sign-in', {
      body: { email: 'nobody@example.org', password: 'not the password' },
    });
    expect(wrong.status).toBe(401);
    expect([unknown.status, unknown.text]).toEqual([401, wrong.text]);
  });

  it('is refused to a foreign page', async () => {
    const answer = await call('POST', '/auth/sign-in', {
      body: credentials(),
      headers: { origin: 'https://evil.example' },
    });
    expect(answer.status).toBe(403);
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  it('locks an account after five failures, and returns for how long', async () => {
    const body = { email: app.other.owner.email, password: 'not the password' };
    for (let failure = 0; failure < 5; failure += 1) await call('POST', '/auth/sign-in', { body });
    const answer = await call('POST', '/auth/sign-in', { body: { ...body, password: SEED_PASSWORD } });
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('a session', () => {
  it('is required for /auth/me; an API key is not enough', async () => {
    const { secret } = app.organization.apiKey;
    for (const options of [{}, { key: secret }, { cookie: 'lucarne=stale' }]) {
      const answer = await call('GET', '/auth/me', options);
      expect(answer.body).toMatchObject({ statusCode: 401, error: 'Unauthorized' });
      expect(answer.headers.get('www-authenticate')).toBeNull();
    }
  });

  it('ends with signing out', async () => {
    const cookie = await signIn();
    const out = await call('POST', '/auth/sign-out', { cookie });
    expect([out.status, out.body]).toEqual([200, { signed_out: true }]);
    expect((await call('GET', '/auth/me', { cookie })).status).toBe(401);
  });

  it('cannot be ended by a foreign page', async () => {
    const cookie = await signIn();
    const out = await call('POST', '/auth/sign-out', { cookie, headers: { origin: 'https://evil.example' } });
    expect(out.status).toBe(403);
    expect((await call('GET', '/auth/me', { cookie })).status).toBe(200);
  });
});

describe('a refusal', () => {
  it('is reported to the owners of its organization, on any surface', async () => {
    const member = await seedMember(app.application.foundation, app.organization.organization.id);
    const cookie = `lucarne=${member.sessionToken}`;
    const body = { email: member.email, password: 'not the password' };
    await call('POST', '/auth/sign-in', { body });
    await call('GET', '/api/auditors-log', { cookie });
    await graphql(app, '{ members { nodes { id } } }', { headers: { cookie } });
    const owner = sessionOf(app, app.organization.owner.sessionToken);
    const readEvents = async () => {
      const { data } = await graphql(
        app,
        '{ securityEvents { nodes { event operation subjectId requestId } } }',
        { headers: owner },
      );
      const { nodes } = data!['securityEvents'] as { nodes: { subjectId: string | null }[] };
      return nodes.filter(({ subjectId }) => subjectId === member.principal.userId);
    };
    expect(await eventually(readEvents, ({ length }) => length >= 3)).toMatchObject([
      { event: 'permission.refused', operation: 'members' },
      { event: 'permission.refused', operation: 'listActivity' },
      { event: 'sign_in.refused', operation: 'signIn' },
    ]);
  });

  it('names an API key that was revoked or has expired, to the owners of its organization only', async () => {
    const { foundation } = app.application;
    const { owner, organization } = app.organization;
    const stranger = await seedOrganization(foundation, { name: 'Stranger', foreignId: 'stranger' });
    const revoked = await seedApiKey(foundation, organization.id);
    await revokeApiKey(foundation, owner.principal, revoked.apiKey.id);
    const expired = await seedApiKey(foundation, organization.id);
    await foundation.database.rows(
      sql`update api_keys set expires_at = now() - interval '1 day' where id = ${expired.apiKey.id}`,
    );
    for (const { secret } of [revoked, expired]) {
      const { status, body } = await call('GET', '/v1/assets/ast_1', { key: secret });
      expect([status, body]).toEqual([401, (await call('GET', '/v1/assets/ast_1', { key: 'lck_no' })).body]);
    }
    const refusedKeys = async (token: string) => {
      const { data } = await graphql(app, '{ securityEvents { nodes { event operation subjectId } } }', {
        headers: sessionOf(app, token),
      });
      const { nodes } = data!['securityEvents'] as { nodes: { event: string }[] };
      return nodes.filter(({ event }) => event === 'api_key.refused');
    };
    let events = await refusedKeys(owner.sessionToken);
    for (let look = 0; look < 100 && events.length < 2; look += 1)
      events = await refusedKeys(owner.sessionToken);
    const operation = 'GET /v1/assets/:id';
    expect(events).toEqual(
      [expired, revoked].map(({ apiKey }) => ({
        event: 'api_key.refused',
        operation,
        subjectId: apiKey.id,
      })),
    );
    expect(await refusedKeys(stranger.owner.sessionToken)).toEqual([]);
  });

  it('is logged if it belongs to no user: an unknown key, a page of another site', async () => {
    await call('GET', '/v1/assets/ast_1', { key: 'lck_wrong' });
    const headers = { origin: 'https://evil.example' };
    await call('POST', '/auth/sign-in', { body: credentials(), headers });
    expect(app.logged()).toContain('"event":"api_key.refused","operation":"GET /v1/assets/:id"');
    expect(app.logged()).toContain('"event":"origin.refused","operation":"POST /auth/sign-in"');
    expect(app.logged()).not.toContain('lck_wrong');
  });
});

describe('the service description', () => {
  it('is served: the OpenAPI document, and its page under a policy that allows no scripts', async () => {
    const document = await call('GET', '/openapi.json');
    const page = await call('GET', '/docs');
    expect(document.body).toMatchObject({ openapi: '3.1.0' });
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.text).toContain('<main id="content">');
  });
});
