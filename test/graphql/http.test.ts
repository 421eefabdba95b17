import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { auditServer } from 'graphql-http';
import { sql } from '../../src/database/index.js';
import { bearer, graphql, sessionOf, startTestApp, type TestApp } from '../kit/app.js';

describe('GraphQL over HTTP', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  }, 60_000);
  afterAll(async () => app[Symbol.asyncDispose]());

  it('passes every audit of the specification that is a MUST', async () => {
    const results = await auditServer({ url: `${app.url}/graphql` });
    const broken = results.filter(
      ({ status, name }) => status === 'error' || (status === 'warn' && name.startsWith('MUST')),
    );
    expect(broken.map(({ name }) => name)).toEqual([]);
    expect(results.length).toBeGreaterThan(50);
  });

  it('answers an API key with its organization’s assets', async () => {
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

  it('answers alike the first time, interpreted, and later, compiled', async () => {
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

  it('refuses values that do not fit the variables as the caller’s mistake, however often they come', async () => {
    const query =
      'query ($id: String!, $first: Int) { asset(id: $id) { id } assets(first: $first) { nodes { id } } }';
    for (const [variables, message] of [
      [{}, 'Variable "$id" of required type "String!" was not provided.'],
      [{ id: 7 }, 'Variable "$id" got invalid value 7;'],
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

  it('runs nothing under a name that no operation has', async () => {
    const query = 'mutation a { createAsset(input: { name: "A", symbol: "A", decimals: 0 }) { id } }';
    const assets = async () => {
      const listed = await graphql(app, '{ assets { nodes { id } } }', {
        headers: bearer(app.organization.apiKey.secret),
      });
      return listed.data;
    };
    const before = await assets();
    for (const operationName of ['b', '', '__proto__', 'b']) {
      const answer = await fetch(`${app.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...bearer(app.organization.apiKey.secret) },
        body: JSON.stringify({ query, operationName }),
      });
      expect({ operationName, status: answer.status, body: (await answer.json()) as unknown }).toMatchObject({
        operationName,
        status: 400,
        body: { errors: [{ extensions: { code: 'OPERATION_RESOLUTION_FAILURE' } }] },
      });
    }
    expect(await assets()).toEqual(before);
  });

  it('refuses a key that is not one with 401 and a challenge', async () => {
    const answer = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer('lck_nonsense') },
      body: JSON.stringify({ query: '{ assets { nodes { id } } }' }),
    });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('takes a session cookie from its own pages and from no others', async () => {
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

  it('refuses what asks for too much, before anything is read', async () => {
    const deep = '{ a: assets { nodes { id } } }'.replace(
      'id',
      Array(12).fill('indexerStatus {').join('') + 'x',
    );
    expect((await graphql(app, deep)).status).toBe(400);
    const aliases = `{ ${Array.from({ length: 30 }, (_, index) => `a${index}: permissionTable { name }`).join(' ')} }`;
    expect(await graphql(app, aliases)).toMatchObject({
      status: 400,
      errors: [{ message: expect.stringContaining('Aliases limit of 20') }],
    });
    const tokens = `{ ${'__typename '.repeat(3000)} }`;
    expect(await graphql(app, tokens)).toMatchObject({
      status: 400,
      errors: [{ message: expect.stringContaining('token') }],
    });
    const fields =
      'id name symbol decimals status createdAt updatedAt indexerStatus { assetId status indexedCount }';
    const expensive = `{ ${['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'].map((name) => `${name}: assets(first: 200) { nodes { ${fields} } }`).join(' ')} }`;
    expect(await graphql(app, expensive)).toMatchObject({
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
    [
      'a null for an argument’s variable',
      'query ($id: String = "a") { asset(id: $id) { id } }',
      { id: null },
    ],
    [
      'a null for a directive’s variable',
      'query ($on: Boolean = true) { me @include(if: $on) { organization { id } } }',
      { on: null },
    ],
  ])('refuses %s as the caller’s mistake', async (_, query, variables) => {
    const answer = await graphql(app, query, { variables, headers: bearer(app.organization.apiKey.secret) });
    expect(answer).toMatchObject({ status: 400, errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
  });

  it('opens no page full of disclosed results, each of which may hold ten thousand records', async () => {
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

  it('counts the cost of a document anew for each variable, condition and operation that can change it', async () => {
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

  it('says nothing of the inside when something breaks, and logs the cause under the request id', async () => {
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

  it('refuses text that cannot be stored as the caller’s mistake', async () => {
    // NUL cannot be stored: the database refuses it, and that is the caller's mistake.
    const answer = await graphql(
      app,
      'mutation ($input: CreateAssetInput!) { createAsset(input: $input) { id } }',
      {
        variables: { input: { name: 'a\0b', symbol: 'X', decimals: 0 } },
        headers: bearer(app.organization.apiKey.secret),
      },
    );
    expect(answer.errors?.[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT' });
  });

  it('serves GraphiQL to a browser in development, with nothing from elsewhere', async () => {
    const answer = await fetch(`${app.url}/graphql`, { headers: { accept: 'text/html' } });
    const page = await answer.text();
    expect(answer.headers.get('content-type')).toContain('text/html');
    expect(page).not.toMatch(/<(script|link|img)[^>]+(src|href)=["']?https?:/i);
  });
});

describe('GraphQL in production', () => {
  it('answers no introspection and serves no GraphiQL', async () => {
    await using app = await startTestApp({ NODE_ENV: 'production' });
    expect((await graphql(app, '{ __schema { queryType { name } } }')).status).toBe(400);
    const page = await fetch(`${app.url}/graphql`, { headers: { accept: 'text/html' } });
    expect(page.headers.get('content-type')).not.toContain('text/html');
    const suggestion = await graphql(app, '{ asset { id } }');
    expect(JSON.stringify(suggestion)).not.toContain('Did you mean');
    const misspelt = await graphql(
      app,
      'mutation ($input: CreateAssetInput!) { createAsset(input: $input) { id } }',
      { variables: { input: { name: 'Euro', symbol: 'EUR', decimal: 2 } } },
    );
    expect(misspelt.status).toBe(400);
    expect(JSON.stringify(misspelt)).not.toContain('Did you mean');
  }, 60_000);
});
