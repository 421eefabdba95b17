import { QueryCache, QueryClient, type InvalidateQueryFilters, type Query } from '@tanstack/react-query';
import { GatewayError } from '../graphql/gateway-error';
import { gateway } from '../graphql/request';
import { isAttended, watchReturn } from '../graphql/presence';

/** All decrypted data is under this key, so that it can be removed at once. */
export const SECRET = 'secret';

/** Whether a read that failed is repeated: twice, while the gateway does not answer. */
export const isAskedAgain = (failures: number, thrown: unknown): boolean =>
  failures < 2 && thrown instanceof GatewayError && ['OFFLINE', 'UNAVAILABLE'].includes(thrown.code);

const STALE_AFTER_HIDDEN_MS = 60_000;

export const client = new QueryClient({
  // Earlier data is removed when the right to read it ends.
  queryCache: new QueryCache({
    onError: (thrown, query) => {
      if (thrown instanceof GatewayError && thrown.code === 'FORBIDDEN') query.setState({ data: undefined });
    },
  }),
  defaultOptions: {
    queries: {
      retry: isAskedAgain,
      refetchOnWindowFocus: false,
      refetchOnReconnect: isAttended,
      gcTime: 60_000,
    },
    mutations: { retry: false },
  },
});

/** Queries whose first read is under way, and that are read again after it. */
const readAfterFirst = new WeakSet<Query>();

/**
 * Data that changed without the person at this page is read again. Reading prolongs the session, and a page that is left open
 * must run out: if nobody is there, it is read with the next input.
 */
export function readAgain(filters: InvalidateQueryFilters): void {
  const invalidate = (which: InvalidateQueryFilters) =>
    client.invalidateQueries({ ...which, refetchType: isAttended() ? 'active' : 'none' });
  // TanStack Query lets a first read that is under way count as the new one, but it may have begun before the change.
  for (const query of client.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' })) {
    const { state, promise, queryKey } = query;
    if (state.data !== undefined || readAfterFirst.has(query)) continue;
    readAfterFirst.add(query);
    void promise
      ?.catch(() => undefined)
      .then(() => {
        readAfterFirst.delete(query);
        return invalidate({ queryKey, exact: true });
      });
  }
  void invalidate(filters);
}
watchReturn(() => {
  void client.refetchQueries({ type: 'active', predicate: ({ state }) => state.isInvalidated });
});

// Data on screen is read again when the page becomes visible after more than a minute.
let hiddenSince = 0;
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') hiddenSince = Date.now();
  else if (hiddenSince > 0 && Date.now() - hiddenSince > STALE_AFTER_HIDDEN_MS)
    readAgain({ predicate: ({ queryKey }) => queryKey[0] !== SECRET });
});

// The gateway answers again: failed reads are repeated, and data on screen may be outdated.
gateway.addEventListener('back', () => {
  readAgain({
    predicate: ({ queryKey, state }) => queryKey[0] !== SECRET || state.status === 'error',
  });
});
