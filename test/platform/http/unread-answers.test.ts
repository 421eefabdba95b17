import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { refuseFor } from '../../../src/edge/rest/index.js';
import { createHttpServer } from '../../../src/platform/http/index.js';

/** Far more than the buffers of a connection hold. */
const ANSWER = 'x'.repeat(24 * 1024 * 1024);

describe('answers that a client does not read', () => {
  it('are bounded, without affecting other clients, and until they are read or left', async () => {
    const log = pino({ level: 'silent' });
    const app = await createHttpServer({
      log,
      registry: new Registry(),
      trustProxy: true,
      refuse: refuseFor([]),
    });
    app.get('/large', (_, reply) => reply.type('text/plain').send(ANSWER));
    app.get('/small', () => ({ small: true }));
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    const { hostname, port } = new URL(url);
    const ask = (client: string, path = '/large') =>
      fetch(`${url}${path}`, { headers: { 'x-forwarded-for': client } });
    const begin = async (): Promise<Socket> => {
      const socket = connect(Number(port), hostname);
      socket.write('GET /large HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 192.0.2.1\r\n\r\n');
      await once(socket, 'readable');
      return socket;
    };
    const sockets = [await begin(), await begin()];
    const refused = await ask('192.0.2.1');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    expect(await refused.json()).toMatchObject({ statusCode: 429, error: 'Too Many Requests' });
    expect(await (await ask('192.0.2.1', '/small')).json()).toEqual({ small: true });
    expect((await (await ask('192.0.2.2')).text()).length).toBe(ANSWER.length);
    for (const socket of sockets) socket.destroy();
    let status: number;
    do {
      await nextTurn();
      const answer = await ask('192.0.2.1');
      await answer.text();
      ({ status } = answer);
    } while (status === 429);
    expect(status).toBe(200);
    await app.close();
  });
});
