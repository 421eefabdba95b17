import { expect, it } from '@jest/globals';
import { newApiKeySecret } from '../../../src/domain/access/authentication/api-key.js';
import { systemRandom } from '../../../src/platform/kernel/random.js';
import { startTestApp } from '../../kit/app.js';
import { forFile } from '../../kit/for-file.js';
import { callRest } from './server/rest-server.js';

const UNITS = 1_200;
const app = forFile(await startTestApp());
const key = app.organization.apiKey.secret;

const read = (secret: string) => callRest(`${app.url}/v1/assets/ast_1`, 'GET', { key: secret });
const ask = async (secret: string) => {
  const answer = await callRest(`${app.url}/graphql`, 'POST', {
    key: secret,
    body: { query: '{ __typename }' },
  });
  const { errors } = answer.body as {
    readonly errors?: readonly { readonly extensions: { code: string } }[];
  };
  return { status: answer.status, code: errors?.[0]?.extensions.code };
};
const badKey = () => newApiKeySecret(systemRandom);

it('a client that tries API keys is soon told to wait, in REST and GraphQL, and valid keys at its address are not', async () => {
  for (;;) {
    const begun = Math.floor(Date.now() / 60_000);
    const statuses = new Set<number>();
    for (let tried = 0; tried < UNITS; tried += 50)
      for (const { status } of await Promise.all(Array.from({ length: 50 }, () => read(badKey()))))
        statuses.add(status);
    const [refused, refusedOverGraphql] = [await read(badKey()), await ask(badKey())];
    const [valid, validOverGraphql] = [await read(key), await ask(key)];
    const signIn = await callRest(`${app.url}/auth/sign-in`, 'POST', {
      body: { email: 'nobody@example.test', password: 'not the password' },
    });
    // The budget is of a minute. If it ended meanwhile, try again in the next one.
    if (refused.status !== 429 && Math.floor(Date.now() / 60_000) !== begun) continue;
    expect([...statuses]).toEqual([401]);
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true]);
    expect(refusedOverGraphql.code).toBe('TOO_MANY_REQUESTS');
    expect([valid.status, validOverGraphql]).toEqual([404, { status: 200, code: undefined }]);
    expect(signIn.status).toBe(401);
    return;
  }
}, 480_000);
