import { describe, expect, it } from '@jest/globals';
import { graphql, startTestApp } from '../../../kit/app.js';
import { forFile } from '../../../kit/for-file.js';
import { openRaw } from '../subscriptions/websocket-client.js';

const INVALID = `{ viewer { ${Array.from({ length: 30 }, (_, at) => `x${at}`).join(' ')} } }`;
const TIMES = 121;

const app = forFile(await startTestApp({ LUCARNE_TRUST_PROXY: '1' }));

describe('a client without credentials', () => {
  const overHttp = async (address: string, query: string) => {
    const { errors } = await graphql(app, query, { headers: { 'x-forwarded-for': address } });
    return errors?.map(({ extensions }) => extensions['code']) ?? [];
  };
  const overWebSocket = async (address: string, query: string) => {
    const client = await openRaw(app, { headers: { 'x-forwarded-for': address } });
    await client.init();
    client.subscribe('1', { query });
    const { payload } = (await client.receive()) as { payload: object };
    client.socket.close();
    return Array.isArray(payload)
      ? (payload as { extensions: { code: string } }[]).map(({ extensions }) => extensions.code)
      : [];
  };

  it.each([
    ['HTTP', overHttp, '192.0.2'],
    ['WebSocket', overWebSocket, '198.51.100'],
  ])('pays over %s ten times as much for a document that is not valid', async (_, ask, network) => {
    for (let at = 0; at < TIMES; at += 1) expect(await ask(`${network}.1`, '{ __typename }')).toEqual([]);
    const answers = [];
    for (let at = 0; at < TIMES; at += 1) answers.push(await ask(`${network}.2`, INVALID));
    // Twenty errors, and that there are more.
    expect(answers[0]).toEqual(Array(21).fill('GRAPHQL_VALIDATION_FAILED'));
    expect(answers.at(-2)).toEqual(answers[0]);
    expect(answers.at(-1)).toEqual(['TOO_MANY_REQUESTS']);
  });

  it('pays over WebSocket ten times as much for a document that is too long to be kept', async () => {
    const long = `{ __typename } # ${'long'.repeat(1_000)}`;
    for (let at = 1; at < TIMES; at += 1) expect(await overWebSocket('203.0.113.1', long)).toEqual([]);
    expect(await overWebSocket('203.0.113.1', long)).toEqual(['TOO_MANY_REQUESTS']);
  });
});
