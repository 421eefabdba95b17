import { type Client, createClient } from 'graphql-ws';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { sessionOf, type TestApp } from './app.js';
import type { SeededUser } from './seed.js';

/** A subscription of a portal page over its WebSocket. */
export interface Followed<Event> extends AsyncDisposable {
  /** The next event; `ended` if the subscription completed, otherwise the codes of the errors that ended it. */
  next(): Promise<Event | 'ended' | string[]>;
}

/** A WebSocket of a page with the session of a user. */
export function webSocketOf(app: TestApp, user: SeededUser): Client {
  class WithSession extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols, { headers: sessionOf(app, user.sessionToken) });
    }
  }
  return createClient({
    url: `${app.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WithSession,
    retryAttempts: 0,
    onNonLazyError: () => undefined,
  });
}

export function follow<Event>(
  app: TestApp,
  user: SeededUser,
  query: string,
  variables: Record<string, unknown> = {},
): Followed<Event> {
  const client = webSocketOf(app, user);
  const events = client.iterate<Record<string, Event>>({ query, variables });
  return {
    async next() {
      try {
        const step = await events.next();
        if (step.done) return 'ended';
        const { data, errors } = step.value;
        const [event] = Object.values(data ?? {});
        if (event === undefined || event === null)
          return (errors ?? []).map(({ extensions }) => String(extensions?.['code']));
        return event;
      } catch (thrown) {
        if (!Array.isArray(thrown)) throw thrown;
        return thrown.map((error: { extensions?: Record<string, unknown> }) =>
          String(error.extensions?.['code']),
        );
      }
    },
    async [Symbol.asyncDispose]() {
      await client.dispose();
    },
  };
}

/** Sends an operation like a page of the portal. @throws if anything is refused. */
export async function askAs<Data>(
  app: TestApp,
  user: Pick<SeededUser, 'sessionToken'>,
  query: string,
  variables: object = {},
): Promise<Data> {
  const answer = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...sessionOf(app, user.sessionToken) },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await answer.json()) as { data: Data; errors?: readonly object[] };
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

/**
 * The first event of a subscription. Repeats `act` until an event arrives, because nothing shows when the subscription has
 * started.
 */
export async function firstOf<Event>(followed: Followed<Event>, act: () => Promise<unknown>): Promise<Event> {
  const arriving = followed.next();
  for (;;) {
    await act();
    const arrived = await Promise.race([arriving, pause(RETRY_MS).then(() => undefined)]);
    if (arrived !== undefined) return arrived as Event;
  }
}

const RETRY_MS = 100;
