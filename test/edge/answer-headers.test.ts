import { describe, expect, it } from '@jest/globals';
import { routes } from '../../src/edge/rest/routes.js';
import { forFile } from '../kit/for-file.js';
import { freePort } from '../kit/process/local-server.js';
import { bearer, startTestApp } from '../kit/app.js';

/** Paths whose answers a browser may cache, and how. They contain nothing private. */
const KEPT: readonly (readonly [RegExp, RegExp])[] = [
  [/^\/portal\/assets\/(?!gone)/, /^public, max-age=31536000, immutable$/],
  [/^\/(portal\/(?!assets)|docs$|openapi\.json$)/, /^no-cache$/],
];

const PAGES = ['/portal/', '/portal/a/payments/cases/cas_1', '/docs', '/graphql'];

const port = await freePort();
const app = forFile(
  await startTestApp({
    LUCARNE_PORT: String(port),
    LUCARNE_PUBLIC_URL: 'https://lucarne.example',
    LUCARNE_ALLOWED_ORIGINS: 'https://portal.example',
  }),
);
const url = `http://127.0.0.1:${port}`;

describe('every response, in production over https', () => {
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${url}${path}`, { redirect: 'manual', ...init });

  /** The faults in the headers of an answer. Empty if there are none. */
  function faults(path: string, { headers, status }: Response): string[] {
    const has = (name: string, pattern: RegExp) => {
      const value = headers.get(name) ?? '';
      return pattern.test(value) ? [] : [`${status} ${path} has ${name}: ${value || 'none'}`];
    };
    const caching = KEPT.find(([paths]) => paths.test(path))?.[1] ?? /^no-store$/;
    const policy = headers.get('content-security-policy') ?? '';
    return [
      ...has('content-security-policy', /^default-src 'none'(;|$)/),
      ...has('content-security-policy', /frame-ancestors 'none'/),
      ...has('content-security-policy', /base-uri 'none'/),
      ...has('content-security-policy', /form-action 'none'/),
      ...(/unsafe|https?:|\*/.test(policy) ? [`${status} ${path} has a policy with ${policy}`] : []),
      ...has('strict-transport-security', /^max-age=63072000$/),
      ...has('x-content-type-options', /^nosniff$/),
      ...has('x-frame-options', /^DENY$/),
      ...has('referrer-policy', /^no-referrer$/),
      ...has('cross-origin-opener-policy', /^same-origin$/),
      ...has('permissions-policy', /camera=\(\)/),
      ...has('x-request-id', /./),
      ...has('cache-control', status >= 400 ? /^no-store$/ : caching),
    ];
  }

  it('prevents misuse and caching by browsers on every route, for any request and outcome', async () => {
    const wrong: string[] = [];
    const statuses = new Set<number>();
    const look = async (path: string, init: RequestInit = {}) => {
      const answer = await ask(path, init);
      statuses.add(answer.status);
      wrong.push(...faults(path, answer));
      await answer.arrayBuffer();
    };
    const key = bearer(app.organization.apiKey.secret);
    const cookie = { cookie: `__Host-lucarne=${app.organization.owner.sessionToken}` };
    const own = { origin: 'https://lucarne.example', 'content-type': 'application/json' };
    for (const { path, method } of routes) {
      const at = path.replaceAll(/\{\w+\}/g, 'payments');
      const body = method === 'GET' ? {} : { body: '{}' };
      await look(at, { method, ...body });
      for (const credentials of [key, cookie]) {
        await look(at, { method, headers: { ...own, ...credentials }, ...body });
        await look(at, { method: 'HEAD', headers: credentials });
      }
      await look(at, { method: 'DELETE' });
      await look(at, {
        method: 'OPTIONS',
        headers: { origin: 'https://portal.example', 'access-control-request-method': method },
      });
    }
    expect(wrong).toEqual([]);
    for (const status of [200, 204, 400, 401, 404, 405]) expect(statuses).toContain(status);
  }, 480_000);

  it('does the same for a page, its files, and routes for programs', async () => {
    const wrong: string[] = [];
    const script =
      /src="(\/portal\/assets\/[^"]+\.js)"/.exec(await (await ask('/portal/')).text())?.[1] ?? '';
    const paths = [
      ...['/', '/portal', '/portal/', '/portal/organization/log', '/portal/assets/gone.js', script],
      ...['/docs', '/openapi.json', '/livez', '/readyz', '/metrics', '/nowhere', '/v1/assets/%zz', '/%'],
      ...['/v1', `/v1/transactions/${'x'.repeat(300)}`, '/graphql', '/graphql?query={me{user{id}}}'],
    ];
    for (const path of paths) wrong.push(...faults(path, await ask(path)));
    const posts: readonly [string, RequestInit['headers']][] = [
      ['{"query":"{ signInOptions { demo { email } } }"}', { 'content-type': 'application/json' }],
      ['{"query":"{ me { user { id } } }"}', { 'content-type': 'application/json' }],
      ['{"query":', { 'content-type': 'application/json' }],
      [`{"query":"${'x'.repeat(100_000)}"}`, { 'content-type': 'application/json' }],
      ['<xml/>', { 'content-type': 'text/xml' }],
    ];
    for (const [body, headers = {}] of posts)
      wrong.push(...faults('/graphql', await ask('/graphql', { method: 'POST', body, headers })));
    expect(wrong).toEqual([]);
  });

  it('runs only its own scripts if it is a page, and is never treated as a page if it has data', async () => {
    for (const path of PAGES) {
      const { headers } = await ask(path, { headers: { accept: 'text/html' } });
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(headers.get('content-security-policy')).not.toMatch(/unsafe|https?:|\*/);
      expect(headers.get('cache-control')).toBe('no-cache');
    }
    for (const { path } of routes.filter(({ method }) => method === 'GET')) {
      const answer = await ask(path.replaceAll(/\{\w+\}/g, '%3Cscript%3E'), {
        headers: { accept: 'text/html' },
      });
      expect(answer.headers.get('content-type') ?? 'application/json').toMatch(
        /^(application\/json|text\/plain)/,
      );
    }
  });

  it('sets only cookies that are unreadable for scripts, other sites and plaintext connections', async () => {
    const answer = await ask('/graphql', {
      method: 'POST',
      headers: {
        ...{ origin: 'https://lucarne.example', 'content-type': 'application/json' },
        cookie: `__Host-lucarne=${app.organization.owner.sessionToken}`,
      },
      body: JSON.stringify({ query: 'mutation { signOut }' }),
    });
    const cookies = answer.headers.getSetCookie();
    expect(cookies).toHaveLength(1);
    for (const text of cookies) {
      expect(text).toMatch(/^__Host-/);
      for (const attribute of ['Path=/', 'HttpOnly', 'Secure', 'SameSite=Lax'])
        expect(text.split('; ')).toContain(attribute);
    }
  });
});
