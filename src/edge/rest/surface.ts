import type { Route } from './route.js';
import { routes } from './routes.js';

export type Surface = Pick<Route, 'credentials' | 'reasons' | 'memberReasons'>;

/** The refusals of HTTP itself, on any route. */
const HTTP_REASONS = { 400: 'invalid_request', 405: 'method_not_allowed', 414: 'invalid_request' } as const;

/** The surfaces whose errors have reasons, by the fixed prefixes of their paths. */
const SURFACES = routes
  .flatMap(({ path, credentials, reasons }) =>
    reasons
      ? [
          {
            prefix: path.split('{', 1)[0] ?? '',
            surface: { credentials, reasons: { ...reasons, ...HTTP_REASONS } },
          },
        ]
      : [],
  )
  .sort((one, other) => other.prefix.length - one.prefix.length);

/** The surface of a URL that no route matches, such as one that cannot be decoded. */
export function surfaceAt(url: string): Surface | undefined {
  return SURFACES.find(({ prefix }) => url.startsWith(prefix))?.surface;
}
