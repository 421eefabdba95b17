import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bearer, graphql, startTestApp, type TestApp } from '../../kit/app.js';

describe('a GraphQL request in an unusual form', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  }, 240_000);
  afterAll(async () => app[Symbol.asyncDispose]());

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
