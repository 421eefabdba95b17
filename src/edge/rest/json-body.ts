import type { FastifyInstance, FastifyRequest } from 'fastify';
import { JsonOutOfBounds, parseForeignJson } from '../../platform/kernel/encoding/foreign-json.js';
import { badUserInput } from '../../platform/kernel/errors.js';

/**
 * The one content type of REST bodies: JSON in UTF-8 (RFC 8259), not encoded. An empty body is no body; a member
 * `__proto__` is refused with any other unknown member, since JSON.parse makes it a plain own member.
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

/** A body in a form that is not taken: 415. */
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
