import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendError } from './refusal.js';
import { surfaceAt } from './surface.js';

/** The methods of every path of the service. Paths are in OpenAPI's form. */
export type KnownPaths = ReadonlyMap<string, readonly string[]>;

/**
 * Answers requests that match no route: 404 for an unknown path, 405 with `Allow` for a method that the path does not accept
 * (RFC 9110, 15.5.6), and OPTIONS with the methods of the path.
 */
export function answerUnmatched(app: FastifyInstance, known: KnownPaths): void {
  const paths = [...known].map(([path, methods]) => ({
    pattern: patternOf(path),
    methods: methods.includes('GET') ? [...methods, 'HEAD'] : methods,
  }));

  const answer = (request: FastifyRequest, reply: FastifyReply) => {
    const pathname = request.url.split(/[?#]/, 1)[0] ?? '';
    const methods = paths.find(({ pattern }) => pattern.test(pathname))?.methods;
    const reasons = surfaceAt(pathname)?.reasons;
    if (!methods || methods.includes(request.method))
      return sendError(reply, 404, 'There is nothing at this path.', reasons?.[404]);
    reply.header('allow', [...methods, 'OPTIONS'].join(', '));
    if (request.method === 'OPTIONS') return reply.code(204).send();
    return sendError(reply, 405, `This path does not accept ${request.method}.`, reasons?.[405]);
  };
  app.setNotFoundHandler(answer);
  // This runs before the body is read, because the answer does not depend on it.
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) return answer(request, reply);
    return undefined;
  });
}

/** Matches the paths of a route in OpenAPI's form. */
export function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
}
