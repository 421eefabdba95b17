import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../../kit/eventually.js';
import type { Principal } from '../../../../src/domain/access/index.js';
import { newId } from '../../../../src/platform/kernel/ids.js';
import { startRestServer, type RestServer } from './rest-server.js';
import { stubContext, stubSchema } from './stub-schema.js';

const PATH = '/api/reports/rpt_1/download';
const DOWNLOADS = 16;
const PIECE = new Uint8Array(1024 * 1024).fill(7);
const PIECES = 64;

describe('downloads that are not read', () => {
  const persons = { alice: newId('usr'), bob: newId('usr') };

  interface Options {
    readonly silenceMs?: number;
    /** Runs before the file is known. */
    readonly beforeFile?: () => Promise<undefined>;
  }

  function start({ beforeFile, ...options }: Options = {}): Promise<RestServer> {
    const file = { reportId: 'rpt_1', fileName: 'a.csv', contentType: 'text/csv', sha256: 'ab'.repeat(32) };
    return startRestServer({
      ...options,
      schema: stubSchema({
        async reportFile() {
          await beforeFile?.();
          return { ...file, salt: 'AA==', sizeBytes: PIECES * PIECE.length };
        },
      }),
      contextFor: async (request, ...rest) => {
        const context = await stubContext(request, ...rest);
        const userId = persons[request.headers['x-person'] as 'alice'];
        return { ...context, principal: { ...context.principal, userId } as Principal };
      },
      fileBytes: async function* bytes(_context, _id, { start, end }) {
        for (let at = start; at < end; at += PIECE.length)
          yield await Promise.resolve(PIECE.subarray(0, end - at));
      },
    });
  }

  const ask = (server: RestServer, person: keyof typeof persons, range = '') =>
    fetch(`${server.url}${PATH}`, {
      headers: { 'x-person': person, connection: 'close', ...(range && { range }) },
    });

  /** Starts a download and reads only its first bytes. */
  async function begin(server: RestServer, person: keyof typeof persons): Promise<Socket> {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(`GET ${PATH} HTTP/1.1\r\nhost: x\r\nx-person: ${person}\r\n\r\n`);
    await once(socket, 'readable');
    return socket;
  }

  it('are limited per person, without affecting others', async () => {
    await using server = await start();
    const sockets = await Promise.all(Array.from({ length: DOWNLOADS }, () => begin(server, 'alice')));
    const refused = await ask(server, 'alice');
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
      429,
      '5',
      {
        statusCode: 429,
        message: `You have ${DOWNLOADS} downloads in progress. Try again when one of them has ended.`,
        error: 'Too Many Requests',
      },
    ]);
    expect((await (await ask(server, 'bob', 'bytes=0-9')).arrayBuffer()).byteLength).toBe(10);
    const ended = once(sockets[0]!, 'close');
    sockets[0]!.destroy();
    await ended;
    await eventually(async () => (await ask(server, 'alice', 'bytes=0-9')).status !== 429);
    for (const socket of sockets) socket.destroy();
  });

  it('do not count if their clients disconnected before they began', async () => {
    const asked = Promise.withResolvers<undefined>();
    const left = Promise.withResolvers<undefined>();
    let waiting = 0;
    await using server = await start({
      beforeFile() {
        waiting += 1;
        if (waiting === DOWNLOADS) asked.resolve(undefined);
        return left.promise;
      },
    });
    const { server: http } = server.app;
    const connections = promisify(http.getConnections.bind(http));
    const leave = new AbortController();
    const answers = Array.from({ length: DOWNLOADS }, () =>
      fetch(`${server.url}${PATH}`, { headers: { 'x-person': 'alice' }, signal: leave.signal }).catch(
        () => undefined,
      ),
    );
    await asked.promise;
    leave.abort();
    await Promise.all(answers);
    await eventually(connections, (count) => count === 0);
    left.resolve(undefined);
    expect((await ask(server, 'alice', 'bytes=0-9')).status).toBe(206);
  });

  it('are ended if nothing is read for too long', async () => {
    await using server = await start({ silenceMs: 300 });
    const socket = await begin(server, 'alice');
    const { server: http } = server.app;
    const connections = promisify(http.getConnections.bind(http));
    await eventually(connections, (count) => count === 0);
    socket.destroy();
  });
});
