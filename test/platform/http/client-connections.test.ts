import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createHttpServer } from '../../../src/platform/http/index.js';

describe('connections that a client keeps open', () => {
  async function openServer(trustProxy: boolean) {
    const app = await createHttpServer({
      ...{ log: pino({ level: 'silent' }), registry: new Registry() },
      ...{ trustProxy, maxConnectionsPerClient: 2 },
    });
    const sockets: Socket[] = [];
    app.get('/', () => ({ answered: true }));
    const url = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
    /** Opens a connection from an address of this machine, and says slowly what it asks. */
    const begin = (localAddress: string): Socket => {
      const socket = connect({ port: Number(url.port), host: url.hostname, localAddress });
      socket.on('error', () => undefined);
      socket.write('GET / HTTP/1.1\r\nhost: x\r\n');
      sockets.push(socket);
      return socket;
    };
    const answered = (socket: Socket): Promise<boolean> =>
      new Promise((resolve) => {
        socket.once('data', () => resolve(true)).once('close', () => resolve(false));
        socket.write('\r\n');
      });
    const close = async () => {
      for (const socket of sockets) socket.destroy();
      await app.close();
    };
    return { begin, answered, close };
  }

  it('cannot take all that the process has: further ones are closed, and other clients are answered', async () => {
    await using parts = new AsyncDisposableStack();
    const { begin, answered, close } = await openServer(false);
    parts.defer(close);
    const [first, second] = [begin('127.0.0.2'), begin('127.0.0.2')];
    await Promise.all([once(first, 'connect'), once(second, 'connect')]);
    expect(await answered(begin('127.0.0.2'))).toBe(false);
    expect(await answered(begin('127.0.0.3'))).toBe(true);
    // Those that were open stay open, and one that is given up makes room.
    expect(await answered(first)).toBe(true);
    first.destroy();
    let isAnswered: boolean;
    do {
      await nextTurn();
      isAnswered = await answered(begin('127.0.0.2'));
    } while (!isAnswered);
    expect(await answered(second)).toBe(true);
  });

  it('are not counted where a proxy connects for all clients', async () => {
    await using parts = new AsyncDisposableStack();
    const { begin, answered, close } = await openServer(true);
    parts.defer(close);
    for (let connection = 0; connection < 5; connection += 1)
      expect(await answered(begin('127.0.0.2'))).toBe(true);
  });
});
