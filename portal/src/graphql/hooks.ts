import {
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
  type QueryKey,
  type UseQueryResult,
} from '@tanstack/react-query';
import type { TadaDocumentNode } from 'gql.tada';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { receivedNow, type Received } from '../design/countdown';
import { askForFactor } from '../app/step-up';
import { follow, liveness } from './live';
import type { Granted } from './document';
import { pagesOf, type Connection } from './pages';
import { texts } from '../texts.ts';
import { errorOf, GatewayError } from './gateway-error';
import { ask, gateway, request, type Answer } from './request';

/** All decrypted data is under this key, so that it can be removed at once. */
export const SECRET = 'secret';

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

export interface Pages<Node> {
  readonly nodes: readonly (Node & { readonly received: Received })[];
  /** The number of all of them, where the document asks for it. */
  readonly total: number | undefined;
  readonly isPending: boolean;
  /** The data on screen was read with other variables: the data for these is loading. */
  readonly isPrevious: boolean;
  readonly error: GatewayError | undefined;
  readonly hasMore: boolean;
  readonly isReadingMore: boolean;
  /** Why the next page could not be read. */
  readonly moreError: GatewayError | undefined;
  readonly readMore: () => void;
  readonly readAgain: () => void;
}

interface Beginning<Variables> {
  /** Differences of the first page, such as fewer rows where someone waits for them. */
  readonly begin?: Partial<NoInfer<Variables>>;
}

/** Reads a listing page by page. `variables` are those of the document without `after`. */
export function usePages<Result, Variables extends { after?: string | null }, Node>(
  key: QueryKey,
  document: TadaDocumentNode<Result, Variables>,
  variables: NoInfer<Omit<Variables, 'after'>>,
  connectionOf: (result: Granted<Result>) => Connection<Node> | null | undefined,
  { isSecret = false, enabled = true, begin }: ReadOptions & Beginning<Variables> = {},
): Pages<Node> {
  const query = useInfiniteQuery({
    queryKey: isSecret ? [SECRET, ...key, variables] : [...key, variables],
    queryFn: async ({ pageParam, signal }) => {
      const result = await request(
        document,
        { ...variables, ...(pageParam === null ? begin : {}), after: pageParam } as unknown as Variables,
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
  const { data, fetchNextPage, refetch } = query;
  return {
    nodes: useMemo(() => data?.pages.flatMap(({ nodes }) => nodes) ?? [], [data]),
    // Each page is counted after it is read: what the last one counts has all that came in before.
    total: query.data?.pages.at(-1)?.totalCount,
    isPending: query.isPending,
    isPrevious: query.isPlaceholderData,
    error: query.error && !query.data ? errorOf(query.error) : undefined,
    hasMore: query.hasNextPage,
    isReadingMore: query.isFetchingNextPage,
    moreError: query.isFetchNextPageError ? errorOf(query.error) : undefined,
    readMore: useCallback(() => void fetchNextPage(), [fetchNextPage]),
    readAgain: useCallback(() => void refetch(), [refetch]),
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

export interface Action<Input, Result> {
  /** `done` is called when it succeeded. */
  readonly run: (input: Input, done?: (result: Result) => void) => Promise<void>;
  readonly isRunning: boolean;
  readonly problem: GatewayError | undefined;
  readonly reset: () => void;
}

const words = texts(
  {
    inDoubt:
      'The gateway did not answer, so it is not known whether this was done. Check the page before you try again.',
  },
  {
    fr: {
      inDoubt:
        'La passerelle n’a pas répondu. On ne sait pas si cela a été fait : regardez la page à nouveau avant de recommencer.',
    },
  },
);

/** A request without a response may have been executed. It is never repeated automatically. */
const inDoubt = (problem: GatewayError): GatewayError =>
  problem.code === 'OFFLINE' ? new GatewayError('OFFLINE', words.inDoubt) : problem;

/** Runs it again after the person proved a second factor, where the gateway asks for a fresh one. */
async function withFreshFactor<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (thrown) {
    if (errorOf(thrown).reason !== 'fresh_factor_required' || !(await askForFactor())) throw thrown;
    return act();
  }
}

/** One user action. What it changed is read again; a refusal is in `problem`. */
export function useAction<Input, Result>(
  act: (input: Input) => Promise<Result>,
  changed: readonly QueryKey[] = [],
): Action<Input, Result> {
  const client = useQueryClient();
  const [isRunning, setRunning] = useState(false);
  const running = useRef(false);
  const [problem, setProblem] = useState<GatewayError>();
  const run = async (input: Input, done?: (result: Result) => void) => {
    // Enter in a field of a form would send it a second time.
    if (running.current) return;
    running.current = true;
    setRunning(true);
    setProblem(undefined);
    try {
      const result = await withFreshFactor(() => act(input));
      await Promise.all(changed.map((queryKey) => client.invalidateQueries({ queryKey })));
      done?.(result);
    } catch (thrown) {
      setProblem(inDoubt(errorOf(thrown)));
      // A refused object may have changed meanwhile.
      await Promise.all(changed.map((queryKey) => client.invalidateQueries({ queryKey })));
    } finally {
      running.current = false;
      setRunning(false);
    }
  };
  return { run, isRunning, problem, reset: () => setProblem(undefined) };
}

/** After this time a subscription that was begun again is followed by the gateway, and a second look misses nothing. */
const RESUMED_AFTER_MS = 2_000;

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
  useEffect(() => {
    if (!isOn) return undefined;
    const { document: asked, variables: values, cursorOf: cursor } = latest.current;
    const readAgain = () => {
      for (const queryKey of latest.current.keys) void client.invalidateQueries({ queryKey });
    };
    // Before the first event there is no cursor to resume after: what happened while the socket was away is read.
    let settled: ReturnType<typeof setTimeout> | undefined;
    const stopWatching = liveness.subscribe(() => {
      if (liveness.read() !== 'live') return;
      readAgain();
      clearTimeout(settled);
      settled = setTimeout(readAgain, RESUMED_AFTER_MS);
    });
    const stop = follow(asked, values, {
      next: readAgain,
      ...(cursor ? { cursorOf: cursor } : {}),
      ended: (codes) => {
        if (codes.includes('UNAUTHENTICATED')) void client.invalidateQueries({ queryKey: ['viewer'] });
        if (codes.includes('FORBIDDEN')) {
          gateway.dispatchEvent(new Event('refused'));
          readAgain();
        }
      },
    });
    return () => {
      clearTimeout(settled);
      stopWatching();
      stop();
    };
  }, [client, identity, isOn]);
}
