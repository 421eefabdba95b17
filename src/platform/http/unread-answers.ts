import type { FastifyInstance } from 'fastify';
import { clientNetwork } from '../kernel/client-network.js';
import { tooManyRequests } from '../kernel/errors.js';
import { createQuota } from '../kernel/bounds/quota.js';

/** Smaller answers fit the buffers of the system, or nearly. */
const COUNTED_BYTES = 256 * 1024;
const RETRY_AFTER_SECONDS = 5;

/**
 * Bounds what a client leaves unread of its answers. An answer stays in memory until the client has read it, and a client can
 * read as slowly as it likes. One answer of any size is always sent. A request whose answer is refused was carried out.
 */
export function boundUnreadAnswers(app: FastifyInstance, maxBytes: number): void {
  const unread = createQuota(maxBytes);
  app.addHook('onSend', (request, reply, payload, done) => {
    const bytes = sizeOf(payload);
    const { raw } = reply;
    if (bytes < COUNTED_BYTES || raw.closed) {
      done(null, payload);
      return;
    }
    const client = clientNetwork(request.ip);
    // A larger one takes all that there is.
    const amount = Math.min(bytes, maxBytes);
    if (!unread.take(client, amount)) {
      done(
        tooManyRequests(
          'This client has too many answers that it has not read yet. Read them, and try again.',
          RETRY_AFTER_SECONDS,
        ),
      );
      return;
    }
    raw.once('close', () => unread.give(client, amount));
    done(null, payload);
  });
}

/** In bytes, or at least in characters. Streams hold only a piece. */
function sizeOf(payload: unknown): number {
  return typeof payload === 'string' || payload instanceof Uint8Array ? payload.length : 0;
}
