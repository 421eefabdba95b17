import { describe, expect, it } from '@jest/globals';
import { auditServer } from 'graphql-http';
import { sql } from '../../../src/platform/database/index.js';
import { forFile } from '../../kit/for-file.js';
import { freePort } from '../../kit/process/local-server.js';
import { bearer, graphql, sessionOf, startTestApp } from '../../kit/app.js';

const app = forFile(await startTestApp());

describe('GraphQL over HTTP', () => {
  it('passes every MUST audit of the specification', async () => {
    const results = await auditServer({ url: `${app.url}/graphql` });
    const broken = results.filter(
      ({ status, name }) => status === 'error' || (status === 'warn' && name.startsWith('MUST')),
    );
    expect(broken.map(({ name }) => name)).toEqual([]);
    expect(results.length).toBeGreaterThan(50);
  });

  it('returns an organization’s assets to its API key', async () => {
    const created = await graphql(
      app,
      'mutation ($input: CreateAssetInput!) { createAsset(input: $input) { id status auditorKeyProvider } }',
      {
        variables: { input: { name: 'Euro', symbol: 'EUR', decimals: 2 } },
        headers: bearer(app.organization.apiKey.secret),
      },
    );
    expect(created.errors).toBeUndefined();
    expect(created.data).toMatchObject({ createAsset: { status: 'pending', auditorKeyProvider: 'local' } });
    const seen = await graphql(app, '{ assets { nodes { symbol } } }', {
      headers: bearer(app.organization.apiKey.secret),
    });
    expect(seen.data).toEqual({ assets: { nodes: [{ symbol: 'EUR' }] } });
    const foreign = await graphql(app, '{ assets { nodes { symbol } } }', {
      headers: bearer(app.other.apiKey.secret),
    });
    expect(foreign.data).toEqual({ assets: { nodes: [] } });
  });

  it('gives the same response the first time, interpreted, and later, compiled', async () => {
    const ask = () =>
      graphql(app, '{ assets(first: 0) { nodes { id } } }', {
        headers: bearer(app.organization.apiKey.secret),
      });
    const answers = [await ask(), await ask(), await ask()];
    expect(answers[0]?.errors?.[0]).toMatchObject({
      message: 'first must be an integer from 1 to 200.',
      extensions: { code: 'BAD_USER_INPUT' },
    });
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  it('refuses variables of the wrong type as a client error, every time', async () => {
    const query =
      'query ($id: ID!, $first: Int) { asset(id: $id) { id } assets(first: $first) { nodes { id } } }';
    for (const [variables, message] of [
      [{}, 'Variable "$id" of required type "ID!" was not provided.'],
      [{ id: [] }, 'Variable "$id" got invalid value [];'],
      [{ id: 'a', first: 'ten' }, 'Variable "$first" got invalid value "ten";'],
    ] as const) {
      for (let times = 0; times < 3; times += 1) {
        const answer = await graphql(app, query, {
          variables,
          headers: bearer(app.organization.apiKey.secret),
        });
        expect(answer).toMatchObject({
          status: 400,
          errors: [{ message: expect.stringContaining(message), extensions: { code: 'BAD_USER_INPUT' } }],
        });
      }
    }
  });

  it('executes nothing for an unknown operation name', async () => {
    const query = 'mutation a { createAsset(input: { name: "A", symbol: "A", decimals: 0 }) { id } }';
    const assets = async () => {
      const listed = await graphql(app, '{ assets { nodes { id } } }', {
        headers: bearer(app.organization.apiKey.secret),
      });
      return listed.data;
    };
    const before = await assets();
    for (const operationName of ['b', '', '', '', '__proto__', 'b']) {
      const answer = await fetch(`${app.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...bearer(app.organization.apiKey.secret) },
        body: JSON.stringify({ query, operationName }),
      });
      expect({ operationName, status: answer.status, body: await answer.json() }).toMatchObject({
        operationName,
        status: 400,
        body: { errors: [{ extensions: { code: 'OPERATION_RESOLUTION_FAILURE' } }] },
      });
    }
    expect(await assets()).toEqual(before);
  });

  it('refuses an invalid key with 401 and a challenge', async () => {
    const answer = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer('lck_nonsense') },
      body: JSON.stringify({ query: '{ assets { nodes { id } } }' }),
    });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('accepts a session cookie only from its own pages', async () => {
    const cookie = `lucarne=${app.organization.owner.sessionToken}`;
    const own = await graphql(app, '{ assets { pageInfo { hasNextPage } } }', {
      headers: sessionOf(app, app.organization.owner.sessionToken),
    });
    expect(own.errors).toBeUndefined();
    const foreign = await graphql(app, '{ assets { pageInfo { hasNextPage } } }', {
      headers: { cookie, origin: 'https://evil.example' },
    });
    expect(foreign).toMatchObject({ status: 403, errors: [{ extensions: { code: 'FORBIDDEN' } }] });
    const hidden = await graphql(app, '{ assets { pageInfo { hasNextPage } } }', {
      headers: { cookie, 'sec-fetch-site': 'cross-site' },
    });
    expect(hidden.status).toBe(403);
  });

  it('refuses a document that is too expensive, before anything is read', async () => {
    const headers = bearer(app.organization.apiKey.secret);
    const deep = '{ a: assets { nodes { id } } }'.replace(
      'id',
      Array(12).fill('indexerStatus {').join('') + 'x',
    );
    expect((await graphql(app, deep, { headers })).status).toBe(400);
    const aliases = `{ ${Array.from({ length: 30 }, (_, index) => `a${index}: permissionTable { name }`).join(' ')} }`;
    expect(await graphql(app, aliases, { headers })).toMatchObject({
      status: 400,
      errors: [{ message: 'The document has 30 aliases; the limit is 20.' }],
    });
    const tokens = `{ ${'__typename '.repeat(3000)} }`;
    expect(await graphql(app, tokens)).toMatchObject({
      status: 400,
      errors: [{ message: expect.stringContaining('token') }],
    });
    // Each error of validation would look for its line among all others.
    const lines = `${'\n'.repeat(30_000)}{ ${Array.from({ length: 100 }, (_, at) => `x${at}`).join(' ')} }`;
    expect(await graphql(app, lines, { headers })).toMatchObject({
      status: 400,
      errors: [{ message: 'The document has 30001 lines; the limit is 2000.' }],
    });
    const fields =
      'id name symbol decimals status createdAt updatedAt indexerStatus { assetId status indexedCount }';
    const expensive = `{ ${['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'].map((name) => `${name}: assets(first: 200) { nodes { ${fields} } }`).join(' ')} }`;
    expect(await graphql(app, expensive, { headers })).toMatchObject({
      status: 400,
      errors: [
        { extensions: { code: 'BAD_USER_INPUT' }, message: expect.stringContaining('limit is 20000') },
      ],
    });
    const batch = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([{ query: '{ __typename }' }, { query: '{ __typename }' }]),
    });
    expect(batch.status).toBe(400);
  });

  it.each([
    [
      'a short document whose fragments multiply',
      `{ ${'...A '.repeat(30)} } fragment A on Query { ${'...B '.repeat(30)} } fragment B on Query { ${'...C '.repeat(30)} } fragment C on Query { __typename }`,
      {},
    ],
    ['a null for an argument’s variable', 'query ($id: ID = "a") { asset(id: $id) { id } }', { id: null }],
    [
      'a null for a directive’s variable',
      'query ($on: Boolean = true) { me @include(if: $on) { organization { id } } }',
      { on: null },
    ],
  ])('refuses %s as the caller’s mistake', async (_, query, variables) => {
    const answer = await graphql(app, query, { variables, headers: bearer(app.organization.apiKey.secret) });
    expect(answer).toMatchObject({ status: 400, errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
  });

  it('does not validate a document that needs credentials for a caller without any', async () => {
    // 2 KB whose validation would compare 15,000 pairs of fields.
    const attack = `{ ${'me{organization{id}}'.repeat(100)} }`;
    expect(await graphql(app, attack)).toMatchObject({
      status: 401,
      errors: [{ extensions: { code: 'UNAUTHENTICATED' } }],
    });
    expect(await graphql(app, attack, { headers: bearer(app.organization.apiKey.secret) })).toMatchObject({
      status: 400,
      errors: [{ extensions: { code: 'BAD_USER_INPUT' }, message: expect.stringContaining('the same name') }],
    });
    // The answer does not even reveal whether a field exists.
    expect(await graphql(app, '{ noSuchField }')).toMatchObject({ status: 401 });
  });

  it.each([
    ['by POST, 5,000 levels deep', 'POST', 5_000],
    ['by GET, 4,000 levels deep', 'GET', 4_000],
    ['by POST, one level too deep', 'POST', 65],
  ])('refuses variables that are nested %s as the caller’s mistake', async (_, method, depth) => {
    const nested = '['.repeat(depth) + ']'.repeat(depth);
    const variables = `{"nested":${nested}}`;
    const query =
      method === 'POST'
        ? 'mutation ($nested: JSON!) { submitRelayRequest(package: $nested) { status } }'
        : 'query ($nested: Int) { assets(first: $nested) { nodes { id } } }';
    const url = new URL(`${app.url}/graphql`);
    if (method === 'GET') {
      url.searchParams.set('query', query);
      url.search += `&variables=${variables}`;
    }
    const answer = await fetch(url, {
      method,
      headers: { 'content-type': 'application/json', ...bearer(app.organization.apiKey.secret) },
      ...(method === 'POST' ? { body: `{"query":${JSON.stringify(query)},"variables":${variables}}` } : {}),
    });
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { errors: [{ extensions: { code: 'BAD_USER_INPUT' }, message: expect.stringContaining('64 levels') }] },
    ]);
  });

  it('returns the permitted root fields next to a refused one', async () => {
    const query = '{ assets(first: 1) { pageInfo { hasNextPage } } members { nodes { id } } }';
    const headers = bearer(app.organization.apiKey.secret);
    // Interpreted the first time and compiled from then on.
    for (let times = 0; times < 3; times += 1) {
      expect(await graphql(app, query, { headers })).toMatchObject({
        status: 200,
        data: { assets: { pageInfo: {} }, members: null },
        errors: [{ path: ['members'], extensions: { code: 'FORBIDDEN' } }],
      });
    }
  });

  it('refuses to open a page of disclosed results, each of which may contain ten thousand records', async () => {
    const results = (first: number) =>
      graphql(app, `{ disclosures(first: ${first}) { nodes { id result { content } } } }`, {
        headers: bearer(app.organization.apiKey.secret),
      });
    expect(await results(10)).toMatchObject({ status: 200, data: { disclosures: { nodes: [] } } });
    expect(await results(200)).toMatchObject({
      status: 400,
      errors: [{ extensions: { code: 'BAD_USER_INPUT' }, message: expect.stringContaining('smaller pages') }],
    });
  });

  it('computes the cost of a document for each variable, condition and operation that can change it', async () => {
    const query = `
      query Chosen($first: Int, $with: Boolean = true, $after: String) {
        disclosures(first: $first, after: $after) { nodes { id result @include(if: $with) { content } } } }
      query Small { disclosures(first: 1) { nodes { id } } }
      query Large { disclosures(first: 200) { nodes { id result { content } } } }`;
    const status = async (operationName: string, variables: object) => {
      const response = await fetch(`${app.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...bearer(app.organization.apiKey.secret) },
        body: JSON.stringify({ query, operationName, variables }),
      });
      return response.status;
    };
    expect(await status('Chosen', { first: 10 })).toBe(200);
    expect(await status('Chosen', { first: 200, with: true })).toBe(400);
    expect(await status('Chosen', { first: 200, with: false })).toBe(200);
    expect(await status('Chosen', { first: 10 })).toBe(200);
    expect(await status('Small', {})).toBe(200);
    expect(await status('Large', {})).toBe(400);
  });

  it('reveals nothing internal when something fails, and logs the cause under the request id', async () => {
    await app.database.rows(sql`alter table assets rename to assets_elsewhere`);
    const answer = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-request-id': 'request-that-breaks',
        ...bearer(app.organization.apiKey.secret),
      },
      body: JSON.stringify({ query: '{ assets { nodes { id } } }' }),
    }).finally(() => app.database.rows(sql`alter table assets_elsewhere rename to assets`));
    expect(await answer.text()).not.toMatch(/relation|assets_elsewhere|select/);
    const logged = app
      .logged()
      .split('\n')
      .filter((line) => line.includes('does not exist'));
    expect(logged.map((line) => JSON.parse(line) as object)).toMatchObject([
      { requestId: 'request-that-breaks', level: 50 },
    ]);
  });

  it('refuses text that cannot be stored as a client error', async () => {
    // NUL cannot be stored: the database refuses it, which is the caller's error.
    const answer = await graphql(
      app,
      'mutation ($input: CreateAssetInput!) { createAsset(input: $input) { id } }',
      {
        variables: { input: { name: 'a\0b', symbol: 'X', decimals: 0 } },
        headers: bearer(app.organization.apiKey.secret),
      },
    );
    expect(answer.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  it('names each invalid member, relative to the input, with a sentence about it', async () => {
    const answer = await graphql(
      app,
      'mutation ($input: CreateAssetInput!) { createAsset(input: $input) { id } }',
      {
        variables: { input: { name: 'Euro', symbol: 'X'.repeat(17), decimals: 0 } },
        headers: bearer(app.organization.apiKey.secret),
      },
    );
    const message = 'symbol must be text of 1 to 16 characters.';
    expect(answer.errors).toMatchObject([
      { message, extensions: { code: 'BAD_USER_INPUT', members: [{ member: 'symbol', message }] } },
    ]);
  });

  it('serves its editor to browsers in development, under a strict policy', async () => {
    const answer = await fetch(`${app.url}/graphql`, { headers: { accept: 'text/html' } });
    expect(answer.headers.get('content-type')).toContain('text/html');
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(await answer.text()).toContain('<title>Lucarne GraphQL</title>');
  });

  it.each(['/livez', '/graphql', '/nowhere', '/v1/assets', '/v1/assets/%zz', '/docs', '/openapi.json'])(
    'answers %s with the headers that keep browsers from misusing it',
    async (path) => {
      const { headers } = await fetch(`${app.url}${path}`);
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      // Not over plain http, because browsers would then refuse the gateway's address.
      expect(headers.get('strict-transport-security')).toBeNull();
    },
  );
});

describe('GraphQL in production', () => {
  it('refuses introspection, and serves no editor', async () => {
    await using app = await startTestApp({ NODE_ENV: 'production' });
    expect((await graphql(app, '{ __schema { queryType { name } } }')).status).toBe(400);
    const page = await fetch(`${app.url}/graphql`, { headers: { accept: 'text/html' } });
    expect(page.headers.get('content-type')).not.toContain('text/html');
    const headers = bearer(app.organization.apiKey.secret);
    const suggestion = await graphql(app, '{ asset { id } }', { headers });
    expect(JSON.stringify(suggestion)).not.toContain('Did you mean');
    const misspelt = await graphql(
      app,
      'mutation ($input: CreateAssetInput!) { createAsset(input: $input) { id } }',
      { variables: { input: { name: 'Euro', symbol: 'EUR', decimal: 2 } }, headers },
    );
    expect(misspelt.status).toBe(400);
    expect(JSON.stringify(misspelt)).not.toContain('Did you mean');
  }, 480_000);
});

describe('a gateway with an https URL', () => {
  const portal = 'https://portal.example';

  it('tells browsers to use https only, and lets pages of allowed origins use a session', async () => {
    const port = await freePort();
    await using app = await startTestApp({
      LUCARNE_PORT: String(port),
      LUCARNE_PUBLIC_URL: 'https://lucarne.example',
      LUCARNE_ALLOWED_ORIGINS: `${portal}, https://other.example`,
    });
    const cookie = `__Host-lucarne=${app.organization.owner.sessionToken}`;
    // `app.url` is the public URL.
    const url = `http://127.0.0.1:${port}/graphql`;
    const ask = (origin: string) =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie, origin },
        body: JSON.stringify({ query: '{ me { organization { name } } }' }),
      });
    const own = await ask(portal);
    expect([own.status, own.headers.get('access-control-allow-origin')]).toEqual([200, portal]);
    expect(own.headers.get('strict-transport-security')).toBe('max-age=63072000');
    const foreign = await ask('https://evil.example');
    expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  }, 480_000);
});
