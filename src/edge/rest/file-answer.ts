import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestContext } from '../graphql/index.js';
import { base64 } from '../../platform/kernel/encoding/bytes.js';
import { sendError } from './refusal.js';
import type { FileAnswer } from './route.js';

/** Returns the bytes of a file that an operation has granted. */
export type FileBytes = (context: RequestContext, id: string, range: SentRange) => AsyncIterable<Uint8Array>;

/** A range of a file's bytes. `end` is exclusive. */
export interface SentRange {
  readonly start: number;
  readonly end: number;
}

/** From byte `first`, or the last `suffix` bytes. */
type OneRange = { readonly first: number; readonly last: number | undefined } | { readonly suffix: number };

// RFC 9110, 14.1.2. Several ranges, or an invalid range, return the whole file.
const ONE_RANGE = /^bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/;

function oneRange(header: string | undefined): OneRange | undefined {
  const match = ONE_RANGE.exec(header ?? '');
  if (!match) return undefined;
  const [, first, last, suffix] = match;
  if (suffix !== undefined) return { suffix: Number(suffix) };
  const range = { first: Number(first), last: last ? Number(last) : undefined };
  return range.last !== undefined && range.last < range.first ? undefined : range;
}

/** Answers a file or the requested range of it. For a slow client the server holds one piece in memory. */
export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { fileName, contentType, sizeBytes, sha256, salt }: Omit<FileAnswer, 'id'>,
  range: SentRange | 'whole' | 'unsatisfiable',
  bytes: (range: SentRange) => AsyncIterable<Uint8Array>,
): FastifyReply {
  void reply
    .header('cache-control', 'no-store')
    .header('accept-ranges', 'bytes')
    .header('etag', etagOf({ sha256 }));
  if (range === 'unsatisfiable') {
    void reply.header('content-range', `bytes */${sizeBytes}`);
    return sendError(reply, 416, 'The file has no such range.');
  }
  const { start, end } = range === 'whole' ? { start: 0, end: sizeBytes } : range;
  if (range !== 'whole') void reply.header('content-range', `bytes ${start}-${end - 1}/${sizeBytes}`);
  return (
    reply
      .code(range === 'whole' ? 200 : 206)
      .type(contentType)
      .header('content-length', end - start)
      .header('content-disposition', `attachment; filename="${fileName}"`)
      // The digest is that of the whole file, also with a part of it (RFC 3230, 4.2).
      .header('digest', `sha-256=${base64.encode(Buffer.from(sha256, 'hex'))}`)
      .header('lucarne-report-salt', salt)
      .send(
        Readable.from(request.method === 'HEAD' ? [] : bytes({ start, end }), {
          objectMode: false,
          highWaterMark: 1,
        }),
      )
  );
}

/** The part of the file that a request asks for. */
export function rangeOf(
  { headers }: Pick<FastifyRequest, 'headers'>,
  { sizeBytes, sha256 }: Pick<FileAnswer, 'sizeBytes' | 'sha256'>,
): SentRange | 'whole' | 'unsatisfiable' {
  const range = oneRange(headers.range);
  if (!range) return 'whole';
  // The client holds a part of another file.
  const validator = headers['if-range'];
  if (validator !== undefined && validator !== etagOf({ sha256 })) return 'whole';
  const start = 'first' in range ? range.first : Math.max(0, sizeBytes - range.suffix);
  const end = 'first' in range ? Math.min(sizeBytes, (range.last ?? sizeBytes) + 1) : sizeBytes;
  return start < end ? { start, end } : 'unsatisfiable';
}

const etagOf = ({ sha256 }: Pick<FileAnswer, 'sha256'>) => `"${sha256}"`;

/** Yields the pieces of a range. Calls `requireGrant` before each piece except the first, and ends with its error. */
export async function* whileGranted(
  pieces: AsyncIterable<Uint8Array>,
  { start, end }: SentRange,
  requireGrant: () => Promise<unknown>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let at = start;
  for await (const piece of pieces) {
    yield piece;
    at += piece.length;
    if (at < end) await requireGrant();
  }
}
