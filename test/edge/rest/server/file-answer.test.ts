import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { notFound, unauthenticated } from '../../../../src/platform/kernel/errors.js';
import { startRestServer, type RestServer } from './rest-server.js';
import { stubContext, stubSchema } from './stub-schema.js';

const PIECE = new Uint8Array(1024).fill(7);
const PATH = '/api/reports/rpt_1/download';
const SALT = Buffer.alloc(16, 3).toString('base64');

describe('a file response', () => {
  let server: RestServer;
  /** The first byte that the operation was asked for, or with the end of a range, and the chunks that were read. */
  let asked: unknown[] = [];
  let read = 0;
  let refusal: { after: number; thrown: () => Error } | undefined;
  let signedIn = true;

  beforeAll(async () => {
    const schema = stubSchema({
      reportFile: ({ firstByte, endByte }) => {
        if (refusal && asked.length >= refusal.after) throw refusal.thrown();
        asked.push(endByte == null ? (firstByte ?? null) : [firstByte, endByte]);
        const file = {
          reportId: 'rpt_1',
          fileName: 'a.csv',
          contentType: 'text/csv',
          sha256: 'ab'.repeat(32),
          salt: SALT,
        };
        return { ...file, sizeBytes: 3 * PIECE.length };
      },
    });
    server = await startRestServer({
      schema,
      contextFor: (request, ...rest) => {
        if (!signedIn) throw unauthenticated();
        return stubContext(request, ...rest);
      },
      fileBytes: async function* bytes(_context, _id, { start, end }) {
        for (let at = start; at < end;) {
          read += 1;
          // The session ends while the first chunk is sent.
          if (endsWith === read) signedIn = false;
          const last = Math.min(end, (Math.floor(at / PIECE.length) + 1) * PIECE.length);
          yield PIECE.subarray(0, last - at);
          at = last;
          await Promise.resolve();
        }
      },
    });
  });
  afterAll(async () => server[Symbol.asyncDispose]());
  let endsWith = 0;
  beforeEach(() => {
    [asked, read, refusal, signedIn, endsWith] = [[], 0, undefined, true, 0];
  });

  const sent = async (headers: Record<string, string> = {}) =>
    Buffer.from(await (await fetch(`${server.url}${PATH}`, { headers })).arrayBuffer()).length;

  it('is authorized, then begun, then authorized again before each further piece', async () => {
    expect(await sent()).toBe(3 * PIECE.length);
    expect(asked).toEqual([null, 0, null, null]);
  });

  it('includes the salt that opens its digest in the log', async () => {
    const answer = await fetch(`${server.url}${PATH}`);
    expect(answer.headers.get('lucarne-report-salt')).toBe(SALT);
    await answer.arrayBuffer();
  });

  it('begins at the first byte sent and ends at the last, for any kind of range', async () => {
    expect(await sent({ range: 'bytes=-5' })).toBe(5);
    expect(await sent({ range: 'bytes=7-9' })).toBe(3);
    const size = 3 * PIECE.length;
    expect(asked).toEqual([null, [size - 5, size], null, [7, 10]]);
  });

  it('does not begin if nothing of it is sent', async () => {
    expect((await fetch(`${server.url}${PATH}`, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(`${server.url}${PATH}`, { headers: { range: 'bytes=9999-' } })).status).toBe(416);
    expect((await fetch(`${server.url}${PATH}`, { headers: { range: 'bytes=-0' } })).status).toBe(416);
    expect(asked).toEqual([null, null, null]);
  });

  it('ends before the next piece once permission is revoked', async () => {
    refusal = { after: 2, thrown: () => notFound('report') };
    await expect(sent()).rejects.toThrow();
    expect([asked, read]).toEqual([[null, 0], 1]);
  });

  it('ends before the next piece once the session has ended', async () => {
    endsWith = 1;
    await expect(sent()).rejects.toThrow();
    expect([asked, read]).toEqual([[null, 0], 1]);
  });

  it('is refused completely if the beginning is refused', async () => {
    refusal = { after: 1, thrown: () => notFound('report') };
    const answer = await fetch(`${server.url}${PATH}`);
    expect([answer.status, await answer.json()]).toEqual([
      404,
      { statusCode: 404, message: 'No such report.', error: 'Not Found' },
    ]);
  });
});
