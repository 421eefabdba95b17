import { describe, expect, it } from '@jest/globals';
import { forFile } from '../../kit/for-file.js';
import { startTestApp } from '../../kit/app.js';

const app = forFile(await startTestApp());

describe('the portal’s files', () => {
  const get = (path: string, init: RequestInit = {}) =>
    fetch(`${app.url}${path}`, { redirect: 'manual', ...init });

  it('are the target of redirects from the root and from the path without its slash', async () => {
    for (const path of ['/', '/portal']) {
      const answer = await get(path);
      expect([answer.status, answer.headers.get('location')]).toEqual([302, '/portal/']);
    }
  });

  it('include one page for every place, with a policy that allows nothing from elsewhere', async () => {
    for (const path of ['/portal/', '/portal/organization/log', '/portal/a/payments/cases/cas_1']) {
      const answer = await get(path);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(answer.headers.get('cache-control')).toBe('no-cache');
      const policy = answer.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(answer.headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    }
  });

  it('are cached forever if their name contains their hash, and are compressed', async () => {
    const page = await (await get('/portal/')).text();
    const script = /src="(\/portal\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? '';
    const answer = await get(script, { headers: { 'accept-encoding': 'br' } });
    expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, 'br']);
    expect(answer.headers.get('cache-control')).toContain('immutable');
    const again = await get(script, { headers: { 'if-none-match': answer.headers.get('etag') ?? '' } });
    expect(again.status).toBe(304);
  });

  it('are the same bytes in every encoding', async () => {
    const page = await (await get('/portal/')).text();
    const style = /href="(\/portal\/assets\/[^"]+\.css)"/.exec(page)?.[1] ?? '';
    for (const path of ['/portal/', '/portal/icon.svg', style]) {
      const plain = await get(path, { headers: { 'accept-encoding': 'identity' } });
      expect([plain.status, plain.headers.get('content-encoding')]).toEqual([200, null]);
      const text = await plain.text();
      for (const encoding of ['br', 'gzip']) {
        const answer = await get(path, { headers: { 'accept-encoding': encoding } });
        expect(answer.headers.get('content-encoding')).toBe(encoding);
        expect(await answer.text()).toBe(text);
      }
    }
  });

  it('return 404 for a file of an older build, never the page instead', async () => {
    const answer = await get('/portal/assets/index-gone.js');
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ statusCode: 404 });
  });

  it('are never outside their folder', async () => {
    for (const path of [
      '/portal/..%2f..%2fpackage.json',
      '/portal/%2e%2e/%2e%2e/package.json',
      '/portal/manifest.json',
    ]) {
      const answer = await get(path);
      expect(await answer.text()).not.toContain('dependencies');
    }
  });

  it('can only be read with GET', async () => {
    const answer = await get('/portal/', { method: 'DELETE' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});
