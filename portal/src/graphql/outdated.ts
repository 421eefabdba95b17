import type { Query } from '@tanstack/react-query';
import { errorOf } from './gateway-error';
import { client } from '../app/client';

/** These say themselves that their data is gone, or that nothing answers. */
const SAID_ELSEWHERE = ['OFFLINE', 'NOT_FOUND', 'FORBIDDEN', 'UNAUTHENTICATED'];

/** Whether the data on screen is from before: reading it again failed. The next page of a list says so where it is missing. */
const isOutdated = ({ state }: Query): boolean =>
  state.status === 'error' &&
  state.data !== undefined &&
  state.fetchMeta?.fetchMore === undefined &&
  !SAID_ELSEWHERE.includes(errorOf(state.error).code);

/** Since when something on screen could not be read again, as a store that React can follow. */
export const outdated = {
  subscribe: (changed: () => void): (() => void) => client.getQueryCache().subscribe(changed),
  read: (): number | undefined => {
    const readAt = client
      .getQueryCache()
      .findAll({ type: 'active', predicate: isOutdated })
      .map(({ state }) => state.dataUpdatedAt);
    return readAt.length === 0 ? undefined : Math.min(...readAt);
  },
};

/** Reads again what could not be read again. */
export const update = (): void => void client.refetchQueries({ type: 'active', predicate: isOutdated });
