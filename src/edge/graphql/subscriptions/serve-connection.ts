import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Server } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { messageOf } from '../../../platform/kernel/errors.js';
import { requireJsonBounds } from '../../../platform/kernel/encoding/foreign-json.js';
import type { Log } from '../../../platform/kernel/log.js';

/** A connection and the request that opened it. */
export interface Connected {
  readonly socket: WebSocket;
  readonly request: IncomingMessage;
}

const PING_INTERVAL_MS = 12_000;
/** The protocol's close codes (`graphql-transport-ws`). */
const BAD_REQUEST = 4400;
const INTERNAL_SERVER_ERROR = 4500;
/** RFC 6455, 5.5: a control frame has at most 125 bytes, of which the code takes two. */
const MAX_REASON_BYTES = 123;

/**
 * Connects the protocol's server to a socket, like `graphql-ws/use/ws`. Protocol errors of a client are written to the
 * gateway's log; `graphql-ws` would print them on standard error as faults of the server. `beforeSending` is called before
 * every message, so that unread answers to pings count, too.
 */
export function serveConnection<Extra extends Connected>(
  server: Pick<Server<Extra>, 'opened'>,
  extra: Extra,
  { log, beforeSending }: { readonly log: Log; readonly beforeSending: () => void },
): void {
  const { socket } = extra;
  socket.on('error', (error) => log.debug({ err: error }, 'A WebSocket connection failed.'));

  // A peer that disappeared without closing answers no ping, and is disconnected at the next one.
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
      close: (code, reason) => socket.close(code, clipped(reason)),
      onMessage: (receive) =>
        void socket.on('message', (data: Buffer) => {
          // A client that does not acknowledge the close can still send. Its messages would be served without being counted.
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

/** The reason, as far as a close frame has room for it. It can contain the client's own text, such as the id of an operation. */
function clipped(reason: string | undefined): string | undefined {
  if (reason === undefined) return undefined;
  // Writes whole characters only.
  const { read } = new TextEncoder().encodeInto(reason, new Uint8Array(MAX_REASON_BYTES));
  return reason.slice(0, read);
}

/** Resolves once the message is written or the connection has closed: a subscription waits for its reader. */
function sendOver(socket: WebSocket, data: string): Promise<void> {
  return new Promise((resolve) => {
    if (socket.readyState === socket.OPEN) socket.send(data, () => resolve());
    else resolve();
  });
}

/**
 * Sends a complete frame (RFC 6455, 5.2) that many connections share. `ws` writes each of its frames in one call, because
 * compression is off, so this frame cannot split another one. What is sent in one turn of the event loop is written in one call
 * of the system, which costs more than all else: several changes of a relay, or its last one and the end. `written` is called once
 * the frame is written or the connection has closed.
 *
 * @returns Whether there is room for another frame before that.
 */
export function sendFrame({ socket, request }: Connected, frame: Uint8Array, written: () => void): boolean {
  if (socket.readyState === socket.OPEN) {
    const { socket: stream } = request;
    stream.cork();
    process.nextTick(uncork, stream);
    return stream.write(frame, written);
  }
  written();
  return true;
}

const uncork = (stream: Duplex) => stream.uncork();
