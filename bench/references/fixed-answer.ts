// Returns one fixed answer to every request, to measure the load generator itself.
import { createServer } from 'node:net';
import { options, serve } from './listen.ts';

const { body } = await options<{ readonly body: string }>();
const answer = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
);
serve(
  createServer((socket) => {
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('data', () => socket.write(answer));
  }),
);
