import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { WebSocket, WebSocketServer } from 'ws';
import { type Connected, sendFrame } from '../../../../src/edge/graphql/subscriptions/serve-connection.js';
import { nextFrame } from '../../../../src/edge/graphql/subscriptions/shared-events.js';

describe('a frame for many subscribers', () => {
  it('is created once for a result and an id', () => {
    const [result, other] = [{ data: {} }, { data: {} }];
    expect(nextFrame(result, 'a', '{}')).toBe(nextFrame(result, 'a', '{}'));
    expect(nextFrame(result, 'b', '{}')).not.toEqual(nextFrame(result, 'a', '{}'));
    expect(nextFrame(other, 'a', '{"data":{}}')).not.toEqual(nextFrame(result, 'a', '{}'));
  });

  it('is cached for few ids, none longer than a UUID, and is correct for all ids', () => {
    const isKept = (result: object, id: string) => {
      const frame = nextFrame(result, id, '{}');
      const head = frame[1] === 126 ? 4 : 2;
      expect(JSON.parse(Buffer.from(frame).subarray(head).toString('utf8'))).toEqual({
        ...{ id, type: 'next', payload: {} },
      });
      return nextFrame(result, id, '{}') === frame;
    };
    expect([36, 37, 60_000].map((length) => isKept({}, 'i'.repeat(length)))).toEqual([true, false, false]);
    const result = {};
    const kept = Array.from({ length: 100 }, (_, number) => isKept(result, String(number)));
    expect(kept.filter(Boolean)).toHaveLength(8);
    expect(kept.lastIndexOf(true)).toBe(7);
  });

  it('is written together with all that is sent to the connection in the same turn', async () => {
    const calls: number[] = [];
    const stream = new Writable({
      write(_chunk, _encoding, done) {
        calls.push(1);
        done();
      },
      writev(chunks, done) {
        calls.push(chunks.length);
        done();
      },
    });
    const connected = {
      socket: { readyState: 1, OPEN: 1 },
      request: { socket: stream },
    } as unknown as Connected;
    const sent = (count: number) =>
      Promise.all(
        Array.from(
          { length: count },
          (_, at) => new Promise<void>((resolve) => sendFrame(connected, Buffer.from([at]), resolve)),
        ),
      );
    // Every caller learns that its frame is written.
    await sent(5);
    await sent(1);
    expect(calls).toEqual([5, 1]);
  });

  it('arrives as one protocol message of any length, between the server’s messages', async () => {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const [socket, request] = (await once(server, 'connection')) as [WebSocket, IncomingMessage];

    const id = 'a "quoted" é';
    const empty = Buffer.byteLength(JSON.stringify({ id, type: 'next', payload: '' }));
    // The lengths at which RFC 6455 changes the encoding of a length.
    const lengths = [empty, 125, 126, 127, 65_535, 65_536, 200_000];
    const messages = lengths.map((length) => ({ id, type: 'next', payload: 'x'.repeat(length - empty) }));
    const received: unknown[] = [];
    client.on('message', (data: Buffer) => received.push(JSON.parse(data.toString('utf8'))));
    for (const { payload } of messages) {
      socket.send('"between"');
      sendFrame({ socket, request }, nextFrame({}, id, JSON.stringify(payload)), () => undefined);
    }
    socket.close();
    await once(client, 'close');
    expect(received).toEqual(messages.flatMap((message) => ['between', message]));

    // Nothing may follow the end of a connection.
    const written = request.socket.bytesWritten;
    // A caller that waits for room must not wait forever.
    await new Promise<void>((resolve) => sendFrame({ socket, request }, nextFrame({}, id, '{}'), resolve));
    expect(request.socket.bytesWritten).toBe(written);
    server.close();
  });
});
