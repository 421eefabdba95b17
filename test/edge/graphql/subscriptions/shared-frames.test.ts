import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { WebSocket, WebSocketServer } from 'ws';
import { sendFrame } from '../../../../src/edge/graphql/subscriptions/serve-connection.js';
import { nextFrame } from '../../../../src/edge/graphql/subscriptions/shared-events.js';

describe('a frame that many subscribers are sent', () => {
  it('is made once for a result and an id', () => {
    const [result, other] = [{ data: {} }, { data: {} }];
    expect(nextFrame(result, 'a', '{}')).toBe(nextFrame(result, 'a', '{}'));
    expect(nextFrame(result, 'b', '{}')).not.toEqual(nextFrame(result, 'a', '{}'));
    expect(nextFrame(other, 'a', '{"data":{}}')).not.toEqual(nextFrame(result, 'a', '{}'));
  });

  it('arrives as one message of the protocol, whatever its length, between those of the server', async () => {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const [socket, request] = (await once(server, 'connection')) as [WebSocket, IncomingMessage];

    const id = 'a "quoted" é';
    const empty = Buffer.byteLength(JSON.stringify({ id, type: 'next', payload: '' }));
    // The lengths at which RFC 6455 writes a length otherwise.
    const lengths = [empty, 125, 126, 127, 65_535, 65_536, 200_000];
    const messages = lengths.map((length) => ({ id, type: 'next', payload: 'x'.repeat(length - empty) }));
    const received: unknown[] = [];
    client.on('message', (data: Buffer) => received.push(JSON.parse(data.toString('utf8'))));
    for (const { payload } of messages) {
      socket.send('"between"');
      void sendFrame({ socket, request }, nextFrame({}, id, JSON.stringify(payload)));
    }
    socket.close();
    await once(client, 'close');
    expect(received).toEqual(messages.flatMap((message) => ['between', message]));

    // Nothing may follow the end of a connection.
    const written = request.socket.bytesWritten;
    await sendFrame({ socket, request }, nextFrame({}, id, '{}'));
    expect(request.socket.bytesWritten).toBe(written);
    server.close();
  });
});
