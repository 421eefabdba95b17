import type { Client } from 'graphql-ws';
import type { TadaDocumentNode } from 'gql.tada';
import { answers, pause } from './connection';
import { textOf } from './document';

/**
 * `opening`: nothing is followed yet. `gone`: the gateway answers, and has no such protocol for this page anymore.
 */
type Liveness = 'opening' | 'live' | 'not live' | 'gone';

const connection = new EventTarget();
let now: Liveness = 'opening';
const set = (value: Liveness) => {
  if (now === value) return;
  now = value;
  connection.dispatchEvent(new Event('changed'));
};

/** Whether the subscription socket is connected, as a store for React. */
export const liveness = {
  subscribe(changed: () => void): () => void {
    connection.addEventListener('changed', changed);
    return () => connection.removeEventListener('changed', changed);
  },
  read: () => now,
};

/**
 * Between connection attempts, with up to as much random delay again, so that clients do not all reconnect at once after a
 * restart.
 */
const RETRY_WAIT_MS = 2_000;
let wasClosedByUs = false;

let client: Client | undefined;

/** The protocol is loaded with the first subscription: what the page shows first needs no socket. */
async function connected(): Promise<Client> {
  const { createClient } = await import('graphql-ws');
  client ??= createClient({
    url: `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/graphql`,
    lazy: true,
    lazyCloseTimeout: 5_000,
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: () => !wasClosedByUs,
    retryWait: () => pause(RETRY_WAIT_MS * (1 + Math.random())),
    keepAlive: 20_000,
    on: {
      connected: () => set('live'),
      // The client itself closes with 1000, when nothing is followed anymore. A gateway that stops says 1001 or 1012.
      closed: (event) => {
        set((event as CloseEvent).code === 1000 ? 'opening' : 'not live');
      },
    },
  });
  return client;
}

/** Ends every subscription: the session that they ran under has ended. */
export function hangUp(): void {
  wasClosedByUs = true;
  client?.terminate();
  set('opening');
  setTimeout(() => (wasClosedByUs = false));
}

/**
 * The gateway ended a subscription, and may accept it again: it was too busy, or something about the caller changed that leaves
 * the session alive.
 */
const BEGUN_AGAIN: readonly string[] = [
  ...['UNAUTHENTICATED', 'UNAVAILABLE', 'INTERNAL_SERVER_ERROR', 'TOO_MANY_REQUESTS'],
];

/**
 * Follows a subscription until it is stopped. After a lost connection it resumes after the last cursor. With `again`, it begins
 * again if the gateway ended it for a time, and says so, because what happened meanwhile may be missing.
 */
export function follow<Result, Variables>(
  document: TadaDocumentNode<Result, Variables>,
  variables: NoInfer<Variables>,
  on: {
    readonly next: (result: Result) => void;
    readonly cursorOf?: (result: Result) => string | number;
    readonly ended: (codes: readonly string[]) => void;
    readonly again?: () => void;
  },
): () => void {
  // The client sends this object again whenever it connects again.
  const sent = { ...variables } as Record<string, unknown>;
  let isWanted = true;
  let stop: (() => void) | undefined;
  // The gateway had no room for the socket, or failed: the client does not try that again by itself.
  const beginAgain = (state: Liveness = 'not live') => {
    if (!isWanted) return;
    set(state);
    void pause(RETRY_WAIT_MS * (2 + Math.random())).then(begin);
  };
  const begin = () => {
    if (isWanted)
      void connected().then(subscribe, async () => beginAgain((await answers()) ? 'gone' : 'not live'));
  };
  const ended = (errors: readonly { readonly extensions?: Readonly<Record<string, unknown>> }[]) => {
    const codes = errors.map(({ extensions }) => String(extensions?.['code']));
    on.ended(codes);
    const { again } = on;
    if (!again || !codes.some((code) => BEGUN_AGAIN.includes(code))) return;
    void pause(RETRY_WAIT_MS * (1 + Math.random())).then(() => {
      if (!isWanted) return;
      begin();
      again();
    });
  };
  const subscribe = (from: Client) => {
    if (!isWanted) return;
    stop = from.subscribe<Result>(
      { query: textOf(document), variables: sent },
      {
        next({ data, errors }) {
          if (errors) return ended(errors);
          if (!data) return undefined;
          if (on.cursorOf) sent['after'] = on.cursorOf(data);
          return on.next(data);
        },
        error(thrown) {
          if (Array.isArray(thrown)) return ended(thrown as Parameters<typeof ended>[0]);
          if (wasClosedByUs || !isWanted) return on.ended([]);
          return beginAgain();
        },
        complete: () => on.ended([]),
      },
    );
  };
  begin();
  return () => {
    isWanted = false;
    stop?.();
  };
}
