import { beforeEach, describe, expect, it } from '@jest/globals';
import { createAdmission } from '../../../../src/edge/graphql/index.js';
import { notFound, tooManyRequests } from '../../../../src/platform/kernel/errors.js';
import { forFile } from '../../../kit/for-file.js';
import { startRestServer } from './rest-server.js';
import { stubContext, stubSchema } from './stub-schema.js';

const UNITS = 1_200;
const STATUS = '/api/relay-requests/rly_5r8kq2m0v4e1atjb7x9nw3h6cz';
const CHECK = { network: 'solana', address: 'x', applicationId: 'y' };

let [now, read, checked, isOverLimit, isUnknown] = [0, 0, 0, false, false];
const server = forFile(
  await startRestServer({
    admission: createAdmission({ clock: { now: () => new Date(now) } }),
    contextFor: async (request, ...surface) => ({
      ...(await stubContext(request, ...surface)),
      principal: undefined,
      clientAddress: String(request.headers['x-client']),
    }),
    schema: stubSchema({
      relayRequest: () => {
        read += 1;
        if (isUnknown) throw notFound('relay request');
        return {
          id: 'rly_1',
          status: 'accepted',
          retryAllowed: false,
          createdAt: new Date(),
          updatedAt: new Date(),
        };
      },
      checkAddress: () => {
        checked += 1;
        if (isOverLimit)
          throw tooManyRequests('More than 600 requests within a minute.', 7, { reason: 'rate_limited' });
        return { checkId: 'chk_1', approved: true, reason: 'approved', metadataHash: 'ab'.repeat(32) };
      },
    }),
  }),
);
const statusOf = (client: string) => server.call('GET', STATUS, { headers: { 'x-client': client } });
const check = (client: string) =>
  server.call('POST', '/check', { body: CHECK, headers: { 'x-client': client } });

/** Many requests, few at a time. Returns how many were answered with each status. */
async function many(count: number, ask: () => Promise<{ readonly status: number }>) {
  const statuses = new Map<number, number>();
  for (let done = 0; done < count; done += 50)
    for (const { status } of await Promise.all(Array.from({ length: Math.min(50, count - done) }, ask)))
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
  return Object.fromEntries(statuses);
}

describe('REST without credentials', () => {
  beforeEach(() => {
    now += 60_000;
    [read, checked, isOverLimit, isUnknown] = [0, 0, false, false];
  });

  it('reads the status of relays as often as a client asks, and 1,200 unknown ids a minute', async () => {
    expect(await many(UNITS + 50, () => statusOf('203.0.113.1'))).toEqual({ 200: UNITS + 50 });
    [read, isUnknown] = [0, true];
    expect(await many(UNITS + 50, () => statusOf('203.0.113.1'))).toEqual({ 404: UNITS, 429: 50 });
    expect(read).toBe(UNITS);
    const refused = await statusOf('203.0.113.1');
    expect([refused.status, refused.headers.get('retry-after'), refused.body]).toEqual([
      429,
      '60',
      {
        statusCode: 429,
        message: 'Too many requests without valid credentials from this address. Try again later.',
        error: 'Too Many Requests',
        reason: 'rate_limited',
      },
    ]);
    isUnknown = false;
    expect((await statusOf('203.0.113.2')).status).toBe(200);
    now += 60_000;
    expect((await statusOf('203.0.113.1')).status).toBe(200);
  });

  it('leaves a request to the limit of its operation, and makes only those pay that exceed it', async () => {
    expect(await many(UNITS + 50, () => check('203.0.113.1'))).toEqual({ 200: UNITS + 50 });
    expect((await statusOf('203.0.113.1')).status).toBe(200);
    isOverLimit = true;
    checked = 0;
    expect(await many(UNITS + 50, () => check('203.0.113.1'))).toEqual({ 429: UNITS + 50 });
    expect(checked).toBe(UNITS);
    expect((await statusOf('203.0.113.1')).status).toBe(429);
  });
});
