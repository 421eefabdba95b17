import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Route } from './route.js';
import { patternOf } from './unmatched.js';

/** Chromium limits it to two hours. */
const PREFLIGHT_MAX_AGE_SECONDS = 7_200;
const EXPOSED_HEADERS = 'Retry-After, X-Request-Id';
const ALLOWED_HEADERS = 'Authorization, Content-Type, Idempotency-Key, X-Request-Id';

/**
 * Sets the headers that let pages of other origins read an answer (Fetch, "CORS protocol"). Routes without credentials allow
 * every origin: wallets call them from their own pages. All others allow only the allowed origins, with credentials.
 */
export function corsHeaders(routes: readonly Route[], allowedOrigins: readonly string[]) {
  const open = routes.filter(({ credentials }) => credentials === 'none').map(({ path }) => patternOf(path));
  const allowed = new Set(allowedOrigins);

  return (request: FastifyRequest, reply: FastifyReply): void => {
    const pathname = request.url.split(/[?#]/, 1)[0] ?? '';
    const isOpen = open.some((pattern) => pattern.test(pathname));
    const { origin } = request.headers;
    if (isOpen) {
      void reply
        .header('access-control-allow-origin', '*')
        .header('cross-origin-resource-policy', 'cross-origin');
    } else {
      if (allowed.size > 0) void reply.header('vary', 'Origin');
      if (origin === undefined || !allowed.has(origin)) return;
      void reply
        .header('access-control-allow-origin', origin)
        .header('access-control-allow-credentials', 'true');
    }
    void reply.header('access-control-expose-headers', EXPOSED_HEADERS);
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined)
      return;
    void reply
      .header('access-control-allow-methods', 'GET, POST, PATCH')
      .header('access-control-allow-headers', ALLOWED_HEADERS)
      .header('access-control-max-age', String(PREFLIGHT_MAX_AGE_SECONDS));
  };
}
