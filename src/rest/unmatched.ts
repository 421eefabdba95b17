import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendError } from './refusal.js';

/** Which methods a path of the whole service takes, in OpenAPI's path form. */
export type KnownPaths = ReadonlyMap<string, readonly string[]>;

/**
 * Answers what no route took: 404 for a path that is not known, 405 with `Allow` for a method that its path does not
 * take (RFC 9110, 15.5.6), and OPTIONS with what it takes.
 */
export function answerUnmatched(app: FastifyInstance, known: KnownPaths): void {
  const paths = [...known].map(([path, methods]) => ({
    pattern: patternOf(path),
    methods: withHead(methods),
  }));

  const answer = (request: FastifyRequest, reply: FastifyReply) => {
    const pathname = request.url.split(/[?#]/, 1)[0] ?? '';
    const methods = paths.find(({ pattern }) => pattern.test(pathname))?.methods;
    if (!methods || methods.includes(request.method))
      return sendError(reply, 404, 'There is nothing at this path.');
    reply.header('allow', [...methods, 'OPTIONS'].join(', '));
    if (request.method === 'OPTIONS') return reply.code(204).send();
    return sendError(reply, 405, `This path does not take ${request.method}.`);
  };
  app.setNotFoundHandler(answer);
  // Before the body is read: whether nothing could take it does not depend on what it is.
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) return answer(request, reply);
    return undefined;
  });
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
}

function withHead(methods: readonly string[]): readonly string[] {
  return methods.includes('GET') ? [...methods, 'HEAD'] : methods;
}
