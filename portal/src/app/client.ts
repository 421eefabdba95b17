import { QueryCache, QueryClient } from '@tanstack/react-query';
import { GatewayError } from '../graphql/gateway-error';
import { gateway } from '../graphql/request';

const STALE_AFTER_HIDDEN_MS = 60_000;

export const client = new QueryClient({
  // What was read before goes with the right to read it.
  queryCache: new QueryCache({
    onError: (thrown, query) => {
      if (thrown instanceof GatewayError && thrown.code === 'FORBIDDEN') query.setState({ data: undefined });
    },
  }),
  defaultOptions: {
    queries: {
      retry: (failures, thrown) =>
        failures < 2 && thrown instanceof GatewayError && ['OFFLINE', 'UNAVAILABLE'].includes(thrown.code),
      refetchOnWindowFocus: false,
      refetchOnReconnect: true,
      gcTime: 60_000,
    },
    mutations: { retry: false },
  },
});

// What is shown is read again when the page becomes visible after more than a minute.
let hiddenSince = 0;
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') hiddenSince = Date.now();
  else if (hiddenSince > 0 && Date.now() - hiddenSince > STALE_AFTER_HIDDEN_MS)
    void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'secret' });
});

// The gateway is back: what could not be read is read now, and what is shown may be old.
gateway.addEventListener('back', () => {
  void client.invalidateQueries({
    predicate: ({ queryKey, state }) => queryKey[0] !== 'secret' || state.status === 'error',
  });
});
