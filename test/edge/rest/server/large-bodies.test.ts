import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { startRestServer } from './rest-server.js';
import { stubContext, stubSchema } from './stub-schema.js';
import { forFile } from '../../../kit/for-file.js';

const server = forFile(await startRestServer({ schema: stubSchema({}), contextFor: stubContext }));

const MIB = 1024 * 1024;

/** A client that announces a body of this size, and reads nothing while it sends it. */
async function sender(bytes: number) {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname).pause();
  await once(socket, 'connect');
  const failed = once(socket, 'error').then(([thrown]) => Promise.reject(thrown as Error));
  failed.catch(() => undefined);
  const lines = [
    'POST /v1/assets HTTP/1.1',
    'host: x',
    'content-type: application/json',
    `content-length: ${bytes}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return {
    send: (piece: Buffer) =>
      Promise.race([failed, new Promise<void>((sent) => void socket.write(piece, () => sent()))]),
    answer: async () => (await socket.setEncoding('utf8').toArray()).join(''),
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

describe('a body over 64 KiB', () => {
  it('is answered with 413 even if the client sends all 12 MiB before it reads the response', async () => {
    using client = await sender(12 * MIB);
    for (let sent = 0; sent < 12; sent += 1) await client.send(Buffer.alloc(MIB, 'x'));
    expect(await client.answer()).toMatch(/^HTTP\/1\.1 413 [^]*The body is larger than 64 KiB\./);
  });

  it('is not read to its end if that is 900 MiB away', async () => {
    using client = await sender(900 * MIB);
    const sending = async () => {
      for (let sent = 0; sent < 900; sent += 1) await client.send(Buffer.alloc(MIB, 'x'));
    };
    await expect(sending()).rejects.toThrow(/EPIPE|ECONNRESET/);
  });
});
