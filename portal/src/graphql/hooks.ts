import {
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
  type InfiniteData,
  type QueryClient,
  type QueryKey,
  type UseInfiniteQueryResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import type { TadaDocumentNode } from 'gql.tada';
import { use, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { receivedNow, type Received } from '../design/time-left.ts';
import { readAgain, SECRET } from '../app/client';
import { ViewerContext } from '../app/session';
import { useKeptRefusal } from './kept-refusal';
import { follow } from './live';
import type { Granted } from './document';
import { pagesOf, type Connection, type ReadPages } from './pages';
import { errorOf } from './gateway-error';
import { ask, gateway, request, type Answer } from './request';

// Separate files, because the sign-in page needs nothing else of this one.
export { SECRET } from '../app/client';
export { useAction } from './use-action';

export interface Shown<Result> extends Answer<Result> {
  readonly received: Received;
}
export type Reading<Result> = UseQueryResult<Shown<Result>>;

interface ReadOptions {
  /** Read data contains plaintext: it is kept only while it is on screen. */
  readonly isSecret?: boolean;
  readonly enabled?: boolean;
}

/** Reads one document. The key begins with the operation's name, so that what changed can be read again by it. */
export function useRead<Result, Variables>(
  key: QueryKey,
  document: TadaDocumentNode<Result, Variables>,
  variables: NoInfer<Variables>,
  { isSecret = false, enabled = true }: ReadOptions = {},
): Reading<Result> {
  return useQuery({
    queryKey: isSecret ? [SECRET, ...key] : key,
    queryFn: async ({ signal }) => ({ ...(await ask(document, variables, signal)), received: receivedNow() }),
    enabled,
    ...(isSecret ? { gcTime: 0, staleTime: Number.POSITIVE_INFINITY } : {}),
  });
}

export type Pages<Node> = ReadPages<Node & { readonly received: Received }>;

/** Reads a listing page by page. `variables` are those of the document without `after`. */
export function usePages<Result, Variables extends { after?: string | null }, Node>(
  key: QueryKey,
  document: TadaDocumentNode<Result, Variables>,
  variables: NoInfer<Omit<Variables, 'after'>>,
  connectionOf: (result: Granted<Result>) => Connection<Node> | null | undefined,
  { isSecret = false, enabled = true }: ReadOptions = {},
): Pages<Node> {
  const query = useInfiniteQuery({
    queryKey: isSecret ? [SECRET, ...key, variables] : [...key, variables],
    queryFn: async ({ pageParam, signal }) => {
      const result = await request(
        document,
        { ...variables, after: pageParam } as unknown as Variables,
        signal,
      );
      const { nodes, pageInfo, totalCount }: Connection<Node> = connectionOf(result) ?? {
        nodes: [],
        pageInfo: { hasNextPage: false, endCursor: null },
      };
      const received = receivedNow();
      return { nodes: nodes.map((node) => ({ ...node, received })), pageInfo, totalCount };
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    enabled,
    ...(isSecret
      ? { gcTime: 0, staleTime: Number.POSITIVE_INFINITY }
      : { placeholderData: keepPreviousData }),
  });
  const { data, refetch } = query;
  const more = useNextPage(query, JSON.stringify(variables));
  const error = useKeptRefusal(query);
  return {
    nodes: useMemo(() => data?.pages.flatMap(({ nodes }) => nodes) ?? [], [data]),
    // Each page is counted after it is read: what the last one counts has all that came in before.
    total: query.data?.pages.at(-1)?.totalCount,
    isPending: query.isPending,
    isPrevious: query.isPlaceholderData,
    error: error && !query.data ? errorOf(error) : undefined,
    hasMore: query.hasNextPage,
    isReadingMore: query.isFetchingNextPage || more.isWanted,
    moreError: query.isFetchNextPageError ? errorOf(query.error) : undefined,
    readMore: more.read,
    readAgain: useCallback(() => void refetch(), [refetch]),
  };
}

/**
 * Reads the next page of the list `place`, also if the list is read again meanwhile: TanStack Query lets each of the two cancel the
 * other.
 */
function useNextPage(
  { data, fetchNextPage, ...query }: UseInfiniteQueryResult<InfiniteData<unknown>>,
  place: string,
): { readonly isWanted: boolean; read(): void } {
  const [wanted, setWanted] = useState({ place, count: 0 });
  const count = data?.pages.length ?? 0;
  const isWanted =
    wanted.place === place && wanted.count > count && query.hasNextPage && !query.isFetchNextPageError;
  useEffect(() => {
    if (isWanted && !query.isFetching) void fetchNextPage();
  }, [isWanted, query.isFetching, fetchNextPage]);
  const hasFailed = query.isFetchNextPageError;
  return {
    isWanted,
    read: useCallback(() => {
      setWanted({ place, count: count + 1 });
      if (hasFailed) void fetchNextPage();
    }, [place, count, hasFailed, fetchNextPage]),
  };
}

/** Reads one row alone, as a listing of only this row. */
export function useOne<Result, Variables, Node>(
  key: QueryKey,
  document: TadaDocumentNode<Result, Variables>,
  variables: NoInfer<Variables>,
  nodeOf: (result: Granted<Result>) => Node,
  options: ReadOptions = {},
): Pages<Node> {
  const reading = useRead(key, document, variables, options);
  const { data, isPending, refetch } = reading;
  const error = useKeptRefusal(reading);
  return {
    nodes: data ? [{ ...nodeOf(data.data), received: data.received }] : [],
    total: undefined,
    isPending,
    isPrevious: false,
    error: error && !data ? errorOf(error) : undefined,
    hasMore: false,
    isReadingMore: false,
    moreError: undefined,
    readMore: () => undefined,
    readAgain: () => void refetch(),
  };
}

/** Reads a complete list, page by page: for selections and names, where a part would hide the rest. */
export function useEvery<Result, Variables extends { after?: string | null }, Node>(
  key: QueryKey,
  document: TadaDocumentNode<Result, Variables>,
  variables: NoInfer<Omit<Variables, 'after'>>,
  connectionOf: (result: Granted<Result>) => Connection<Node>,
  { enabled = true }: Pick<ReadOptions, 'enabled'> = {},
): UseQueryResult<readonly Node[]> {
  return useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const read = async (after: string | null) => {
        const page = { ...variables, after } as unknown as Variables;
        return connectionOf(await request(document, page, signal));
      };
      const every: Node[] = [];
      for await (const page of pagesOf(read)) every.push(...page);
      return every;
    },
    enabled,
  });
}

/** A subscription ended: what its codes say may have changed is read again, `read` for what it was about. */
export function afterEnd(client: QueryClient, codes: readonly string[], read: () => void): void {
  if (codes.includes('UNAUTHENTICATED')) void client.invalidateQueries({ queryKey: ['viewer'] });
  if (codes.includes('FORBIDDEN')) gateway.dispatchEvent(new Event('refused'));
  if (codes.includes('FORBIDDEN') || codes.includes('NOT_FOUND')) read();
}

/** Follows a subscription while the component is mounted, and reads the data under the keys again at each event. */
export function useLive<Result, Variables>(
  document: TadaDocumentNode<Result, Variables>,
  variables: NoInfer<Variables>,
  cursorOf: ((result: Result) => string | number) | undefined,
  keys: readonly QueryKey[],
  isOn = true,
): void {
  const client = useQueryClient();
  const latest = useRef({ document, variables, cursorOf, keys });
  useEffect(() => {
    latest.current = { document, variables, cursorOf, keys };
  });
  const identity = JSON.stringify(variables);
  // The gateway ends it when the permissions change: it begins again with the new ones.
  const permissions = use(ViewerContext)?.permissions;
  useEffect(() => {
    if (!isOn) return undefined;
    const { document: asked, variables: values, cursorOf: cursor } = latest.current;
    const readKeys = (withSecrets = true) => {
      for (const queryKey of latest.current.keys)
        if (withSecrets || queryKey[0] !== SECRET) readAgain({ queryKey });
    };
    return follow(asked, values, {
      next: () => readKeys(),
      // Reading a secret is logged: it is read again only if it may have changed.
      begun: (isAgain) => readKeys(isAgain),
      ...(cursor ? { cursorOf: cursor } : {}),
      ended: (codes) => afterEnd(client, codes, readKeys),
    });
  }, [client, identity, isOn, permissions]);
}
