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

/** A gateway that answers neither the handshake nor a ping by then is taken to be away. */
const ANSWER_WAIT_MS = 10_000;
let silence: ReturnType<typeof setTimeout> | undefined;
const answered = () => clearTimeout(silence);
const awaitAnswer = () => {
  answered();
  silence = setTimeout(() => client?.terminate(), ANSWER_WAIT_MS);
};

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
      connecting: awaitAnswer,
      connected() {
        answered();
        set('live');
      },
      ping: (isReceived) => {
        if (!isReceived) awaitAnswer();
      },
      pong: (isReceived) => {
        if (isReceived) answered();
      },
      // The client itself closes with 1000, when nothing is followed anymore. A gateway that stops says 1001 or 1012.
      closed: (event) => {
        answered();
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

/** The time from the arrival of a subscription at the gateway until the gateway sends what changes. */
const BEGUN_AFTER_MS = 2_000;

/**
 * Calls back once the gateway follows what it was asked to follow over this socket. It does not say so: a question that was
 * sent afterwards is answered.
 */
function onceBegun(from: Client, begun: () => void): () => void {
  let isWanted = true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const arrived = () => {
    if (isWanted) timer = setTimeout(begun, BEGUN_AFTER_MS);
  };
  const stop = from.subscribe({ query: '{ __typename }' }, { next() {}, error: arrived, complete: arrived });
  return () => {
    isWanted = false;
    clearTimeout(timer);
    stop();
  };
}

/**
 * Follows a subscription until it is stopped. After a lost connection it resumes after the last cursor, and it begins again if
 * the gateway ended it for a time.
 */
export function follow<Result, Variables>(
  document: TadaDocumentNode<Result, Variables>,
  variables: NoInfer<Variables>,
  on: {
    readonly next: (result: Result) => void;
    readonly cursorOf?: (result: Result) => string | number;
    readonly ended: (codes: readonly string[]) => void;
    /**
     * From now on, changes arrive. What was read before may miss one, unless an event came since: then this is not called.
     * `isAgain` if it was not followed for a while.
     */
    readonly begun?: (isAgain: boolean) => void;
  },
): () => void {
  // The client sends this object again whenever it connects again.
  const sent = { ...variables } as Record<string, unknown>;
  let isWanted = true;
  let stop: (() => void) | undefined;
  let ignoreBegin: (() => void) | undefined;
  let isAgain = now === 'not live';
  /** The subscription was sent to the gateway, or will be before anything else. */
  const asked = (from: Client) => {
    ignoreBegin?.();
    const wasAway = isAgain;
    isAgain = true;
    if (on.begun) ignoreBegin = onceBegun(from, () => on.begun?.(wasAway));
  };
  const stopWatching = liveness.subscribe(() => {
    if (now === 'not live') isAgain = true;
    if (now === 'live' && client && stop) asked(client);
  });
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
  const subscribe = (from: Client) => {
    if (!isWanted) return;
    let isOpen = true;
    const ended = (errors: readonly { readonly extensions?: Readonly<Record<string, unknown>> }[]) => {
      if (!isOpen) return;
      isOpen = false;
      ignoreBegin?.();
      stop?.();
      stop = undefined;
      if (!isWanted) return;
      const codes = errors.map(({ extensions }) => String(extensions?.['code']));
      on.ended(codes);
      if (codes.some((code) => BEGUN_AGAIN.includes(code)))
        void pause(RETRY_WAIT_MS * (1 + Math.random())).then(begin);
    };
    stop = from.subscribe<Result>(
      { query: textOf(document), variables: sent },
      {
        next({ data, errors }) {
          if (errors) return ended(errors);
          if (!data || !isOpen) return undefined;
          ignoreBegin?.();
          if (on.cursorOf) sent['after'] = on.cursorOf(data);
          return on.next(data);
        },
        error(thrown) {
          if (Array.isArray(thrown)) return ended(thrown as Parameters<typeof ended>[0]);
          if (wasClosedByUs) return ended([]);
          return beginAgain();
        },
        complete: () => ended([]),
      },
    );
    if (now === 'live') asked(from);
  };
  begin();
  return () => {
    isWanted = false;
    stopWatching();
    ignoreBegin?.();
    stop?.();
  };
}
