import type { FastifyInstance, FastifyRequest } from 'fastify';
import { JsonOutOfBounds, parseForeignJson } from '../../platform/kernel/encoding/foreign-json.js';
import { badUserInput } from '../../platform/kernel/errors.js';

/**
 * The only content type of REST bodies: JSON in UTF-8 (RFC 8259), without a content encoding. An empty body counts as no
 * body. A member `__proto__` is refused like any other unknown member, because JSON.parse makes it a plain own member.
 */
export function acceptJsonBodiesOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      done(null, parseBody(request, bytes as Buffer));
    } catch (thrown) {
      done(thrown as Error);
    }
  });
}

/** The error for a body in an unsupported form: 415. */
export class UnsupportedBody extends Error {
  override readonly name = 'UnsupportedBody';
}

function parseBody(request: FastifyRequest, bytes: Buffer): unknown {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    throw new UnsupportedBody('The body must be in UTF-8.');
  if (
    request.headers['content-encoding'] !== undefined &&
    request.headers['content-encoding'] !== 'identity'
  ) {
    throw new UnsupportedBody('The body must not have a Content-Encoding.');
  }
  if (bytes.length === 0) return undefined;
  const text = decodeUtf8(bytes);
  try {
    return parseForeignJson(text);
  } catch (thrown) {
    if (thrown instanceof JsonOutOfBounds) throw badUserInput(thrown.message);
    throw badUserInput('The body is not valid JSON.');
  }
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw badUserInput('The body is not valid UTF-8.');
  }
}
