import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/platform/database/index.js';
import { forFile } from '../../kit/for-file.js';
import { bearer, graphql, startTestApp } from '../../kit/app.js';
import { SEED_PASSWORD } from '../../kit/seed.js';

const app = forFile(await startTestApp());

describe('a GraphQL request in an unusual form', () => {
  it.each([
    ['an empty body', ''],
    ['a mistake after a password', '{"query":"{ me }","variables":{"password":"hunter2-secret"x}}'],
    ['a password without quotes', '{"variables":{"password":hunter2-secret}}'],
    ['another encoding', Buffer.from('{"password":"hunter2-secret"}', 'utf16le')],
  ])('refuses %s as the caller’s mistake, and keeps what stands in it out of the log', async (_, body) => {
    const from = app.logged().length;
    const answer = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { errors: [{ message: 'The body is not valid JSON.', extensions: { code: 'BAD_USER_INPUT' } }] },
    ]);
    expect(app.logged().slice(from)).not.toMatch(/hunter2|"level":50/);
  });

  it.each([
    [
      'a list in an argument',
      (depth: number) => `{ asset(id: ${'['.repeat(depth)}${']'.repeat(depth)}) { id } }`,
    ],
    [
      'an object in an argument',
      (depth: number) => `{ asset(id: ${'{a:'.repeat(depth)}1${'}'.repeat(depth)}) { id } }`,
    ],
    [
      'the type of a variable',
      (depth: number) => `query ($id: ${'['.repeat(depth)}ID) { asset(id: $id) { id } }`,
    ],
    ['a selection', (depth: number) => '{a'.repeat(depth)],
    ['an inline fragment', (depth: number) => `{${'...{'.repeat(depth)}`],
  ])(
    'refuses a document that nests %s too deeply, from anyone, without exhausting the stack',
    async (_, nested) => {
      for (const headers of [{}, bearer(app.organization.apiKey.secret)])
        for (const depth of [101, 650, 1_990, 9_000]) {
          expect(await graphql(app, nested(depth), { headers })).toMatchObject({
            status: 400,
            errors: [
              {
                extensions: { code: 'BAD_USER_INPUT' },
                message: 'The document is nested more than 100 levels deep.',
              },
            ],
          });
        }
    },
  );

  it('opens no session for a page of another origin that knows the credentials, or that resolves its own name to this host', async () => {
    const query = 'mutation ($input: SignInInput!) { signIn(input: $input) { hasPassword } }';
    const variables = { input: { email: app.organization.owner.email, password: SEED_PASSWORD } };
    const sessions = async () =>
      (await app.database.rows(sql<{ id: string }>`select id from sessions`)).map(({ id }) => id);
    const before = await sessions();
    for (const origin of ['https://evil.example', 'http://evil.example:4000', 'null']) {
      const { errors } = await graphql(app, query, { variables, headers: { origin } });
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'FORBIDDEN' });
    }
    expect(await sessions()).toEqual(before);
    expect((await graphql(app, query, { variables, headers: { origin: app.url } })).errors).toBeUndefined();
  });

  it.each(['%ff', '%zz', '%', '%c3%28'])(
    'is admitted as GET by the document that is executed, also where “%s” ends it',
    async (end) => {
      const answer = async (query: string) => {
        const url = `${app.url}/graphql?query=${encodeURIComponent(`${query} #`)}${end}`;
        const response = await fetch(url, { headers: { 'content-type': 'application/json' } });
        return [response.status, await response.json()];
      };
      expect(await answer('{ me { noSuchField } }')).toMatchObject([
        401,
        { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] },
      ]);
      expect(await answer(`{ ${'__schema { types { name } } '.repeat(200)} }`)).toMatchObject([
        400,
        { errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] },
      ]);
      expect(await answer('{ __typename }')).toEqual([200, { data: { __typename: 'Query' } }]);
    },
  );

  it.each(['[', 'a b', '%', '<script>'])('is the caller’s mistake where its host is “%s”', async (host) => {
    const from = app.logged().length;
    const { hostname, port } = new URL(app.url);
    const request = httpRequest({ hostname, port, path: '/graphql?query={__typename}', headers: { host } });
    request.setHeader('content-type', 'application/json');
    request.end();
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    expect([answer.statusCode, JSON.parse(await text(answer))]).toEqual([
      400,
      { errors: [{ message: 'The header Host is not valid.', extensions: { code: 'BAD_USER_INPUT' } }] },
    ]);
    expect(app.logged().slice(from)).not.toContain('"level":50');
  });

  it.each(['toString', 'constructor', '__proto__'])(
    'runs an operation with the variable $%s as one with any other, also when it is known',
    async (name) => {
      const query = `query ($${name}: Int, $with: Boolean!) { assets(first: $${name}) @include(if: $with) { nodes { id } } }`;
      const headers = bearer(app.organization.apiKey.secret);
      const [first, ...later] = [
        await graphql(app, query, { variables: { with: true }, headers }),
        await graphql(app, query, { variables: { with: true }, headers }),
        await graphql(app, query, { variables: { with: true }, headers }),
      ];
      expect(first).toMatchObject({ status: 200, data: { assets: { nodes: expect.any(Array) } } });
      for (const answer of later) expect(answer).toEqual(first);
    },
  );
});
