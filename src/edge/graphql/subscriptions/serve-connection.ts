import type { IncomingMessage } from 'node:http';
import type { Server } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { messageOf } from '../../../platform/kernel/errors.js';
import { requireJsonBounds } from '../../../platform/kernel/encoding/foreign-json.js';
import type { Log } from '../../../platform/kernel/log.js';

/** A connection and the request that it began with. */
export interface Connected {
  readonly socket: WebSocket;
  readonly request: IncomingMessage;
}

const PING_INTERVAL_MS = 12_000;
/** The protocol's close codes (`graphql-transport-ws`). */
const BAD_REQUEST = 4400;
const INTERNAL_SERVER_ERROR = 4500;

/**
 * Lets the protocol's server speak on a socket. As `graphql-ws/use/ws` does, but what a client breaks goes to our log,
 * where that prints it on standard error as a fault of the server. `beforeSending` is called before every message, so
 * that answers to pings count as what a client does not read.
 */
export function serveConnection<Extra extends Connected>(
  server: Pick<Server<Extra>, 'opened'>,
  extra: Extra,
  { log, beforeSending }: { readonly log: Log; readonly beforeSending: () => void },
): void {
  const { socket } = extra;
  socket.on('error', (error) => log.debug({ err: error }, 'A WebSocket connection failed.'));

  // A peer that is gone without a word answers no ping, and is cut off at the next.
  let answered = true;
  socket.on('pong', () => (answered = true));
  const pinging = setInterval(() => {
    if (!answered) {
      socket.terminate();
      return;
    }
    answered = false;
    if (socket.readyState === socket.OPEN) socket.ping();
  }, PING_INTERVAL_MS);

  const closed = server.opened(
    {
      protocol: socket.protocol,
      send(data) {
        beforeSending();
        return sendOver(socket, data);
      },
      close: (code, reason) => socket.close(code, reason),
      onMessage: (receive) =>
        void socket.on('message', (data: Buffer) => {
          // A client that does not acknowledge the close can still send, and would be served without being counted.
          if (socket.readyState !== socket.OPEN) return;
          const text = data.toString('utf8');
          try {
            requireJsonBounds(text);
          } catch (thrown) {
            socket.close(BAD_REQUEST, messageOf(thrown));
            return;
          }
          receive(text).catch((thrown: unknown) => {
            log.error({ err: thrown }, 'A WebSocket message could not be handled.');
            socket.close(INTERNAL_SERVER_ERROR, 'Internal server error');
          });
        }),
    },
    extra,
  );
  socket.once('close', (code, reason) => {
    clearInterval(pinging);
    closed(code, reason.toString()).catch((thrown: unknown) =>
      log.error({ err: thrown }, 'A WebSocket connection was not closed properly.'),
    );
  });
}

/** Resolves once it is written, also when the connection broke meanwhile: a subscription waits for its reader. */
function sendOver(socket: WebSocket, data: string): Promise<void> {
  return new Promise((resolve) => {
    if (socket.readyState === socket.OPEN) socket.send(data, () => resolve());
    else resolve();
  });
}

/**
 * Sends a complete frame (RFC 6455, 5.2) that is shared by many connections. `ws` writes its frames at once and whole,
 * because compression is off, so this frame cannot split another one. `written` is called once the frame is written, or the
 * connection broke.
 *
 * @returns Whether there is room for another frame before that.
 */
export function sendFrame({ socket, request }: Connected, frame: Uint8Array, written: () => void): boolean {
  if (socket.readyState === socket.OPEN) return request.socket.write(frame, written);
  written();
  return true;
}
