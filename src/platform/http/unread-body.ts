import type { IncomingMessage } from 'node:http';

const MAX_BYTES = 16 * 1024 * 1024;
const MAX_MS = 5_000;

/**
 * Reads the rest of a request's body and discards it, up to 16 MiB and 5 s. Many clients send the whole body before they
 * read the response: if the connection is closed while they send, they see a reset and never the response (RFC 9112, 9.6).
 */
export function discardBody(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let left = MAX_BYTES;
    const end = () => {
      clearTimeout(timer);
      request.off('data', count).off('end', end).off('close', end);
      resolve();
    };
    const count = (piece: Buffer) => {
      left -= piece.length;
      if (left <= 0) end();
    };
    const timer = setTimeout(end, MAX_MS);
    request.on('data', count).once('end', end).once('close', end);
  });
}
