import { acrossOrganizations, type Foundation } from '../../../platform/database/index.js';
import { createPollLoop } from '../../../platform/jobs/index.js';
import { notFound } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { leftBy, type Pushable } from '../../../platform/signals/index.js';
import { isTerminal } from '../relay-state.js';
import { findView, selectViews, type RelayView } from './relay-view.js';
import { relayTopic } from '../relay.js';

/** Sends changes of requests to any number of subscribers, with one reader for all of them. */
export interface StatusFeed extends AsyncDisposable {
  /**
   * The changes of a request after a sequence number, each once and in order. `undefined`: the newest change and all later
   * ones. Completes after an end, and when the feed is disposed of. All subscribers of a request share its changes; each
   * subscriber stores only its position.
   * @throws {LucarneError} NOT_FOUND.
   */
  follow(id: Id<'rly'>, after: number | undefined): Promise<Pushable<RelayView>>;
  readonly stats: StatusFeedStats;
}

export interface StatusFeedStats {
  /** Number of requests with subscribers. */
  readonly requests: number;
  readonly subscribers: number;
  /** Number of statements since the start. */
  readonly reads: number;
}

export interface StatusFeedOptions {
  /** Interval at which all followed requests are read without a signal. It limits the delay after a lost signal. */
  readonly pollMs?: number;
}

const DEFAULT_POLL_MS = 5_000;
/** Number of changes of a request that are kept in memory. A subscriber that lags further reads older ones itself. */
const MAX_KEPT_CHANGES = 64;
/** Maximum number of requests in one statement. */
const MAX_READ_TOGETHER = 1_000;
/** Maximum number of subscribers that are woken in one turn of the event loop. */
const MAX_WOKEN_TOGETHER = 250;

/** A request with subscribers. */
interface Followed {
  /** The newest changes, without a gap. Empty until the first read, and for an unknown request. */
  changes: readonly RelayView[];
  readonly subscribers: Set<Subscriber>;
  readonly unlisten: () => void;
}

interface Subscriber {
  /** Ends its wait. */
  wake: () => void;
  left: boolean;
}

/** Requests that are read together. */
interface Reading {
  readonly ids: Set<Id<'rly'>>;
  readonly done: PromiseWithResolvers<undefined>;
}

export function createStatusFeed(
  { database, signals, log }: Pick<Foundation, 'database' | 'signals' | 'log'>,
  { pollMs = DEFAULT_POLL_MS }: StatusFeedOptions = {},
): StatusFeed {
  const followed = new Map<Id<'rly'>, Followed>();
  let upcoming: Reading | undefined;
  let running: Promise<void> | undefined;
  let closed = false;
  let reads = 0;

  /** Reads the requests. Resolves after a read that began after this call. */
  const look = (ids: Iterable<Id<'rly'>>): Promise<undefined> => {
    upcoming ??= { ids: new Set(), done: Promise.withResolvers<undefined>() };
    for (const id of ids) upcoming.ids.add(id);
    const { promise } = upcoming.done;
    // For all subscribers, not in the name of the first one.
    running ??= acrossOrganizations(readOn);
    return promise;
  };

  /** Runs one statement at a time. Requests that arrive in the meantime are read together. */
  const readOn = async (): Promise<void> => {
    while (upcoming) {
      await nextTurn();
      const { ids, done } = upcoming;
      upcoming = undefined;
      try {
        for (const some of inParts([...ids], MAX_READ_TOGETHER)) await read(some);
        done.resolve(undefined);
      } catch (thrown) {
        done.reject(thrown);
      }
    }
    running = undefined;
  };

  const read = async (ids: readonly Id<'rly'>[]): Promise<void> => {
    const asked = ids.flatMap((id) => {
      const one = followed.get(id);
      return one ? [{ id, after: one.changes.at(-1)?.sequence ?? 0 }] : [];
    });
    if (asked.length === 0) return;
    reads += 1;
    const views = await selectViews(database, asked, MAX_KEPT_CHANGES);
    for (const [id, added] of Map.groupBy(views, ({ relayRequestId }) => relayRequestId)) {
      const one = followed.get(id);
      if (!one) continue;
      // The changes read either follow the known ones without a gap, or are as many as are kept.
      one.changes = [...one.changes.map(superseded), ...added].slice(-MAX_KEPT_CHANGES);
      await wakeAll(one);
    }
  };

  const wakeAll = async ({ subscribers }: Followed): Promise<void> => {
    for (const some of inParts([...subscribers], MAX_WOKEN_TOGETHER)) {
      for (const subscriber of some) subscriber.wake();
      if (some.length === MAX_WOKEN_TOGETHER) await nextTurn();
    }
  };

  /** If a read fails, the next poll reads again. */
  const failed = (thrown: unknown) => log.warn({ err: thrown }, 'Reading relay changes failed.');
  const polling = createPollLoop({ pollMs, turn: () => look(followed.keys()), failed });

  const enter = (id: Id<'rly'>, subscriber: Subscriber): Followed => {
    const one = followed.get(id) ?? {
      changes: [],
      subscribers: new Set(),
      unlisten: signals.listen(relayTopic(id), () => void look([id]).catch(failed)),
    };
    followed.set(id, one);
    one.subscribers.add(subscriber);
    polling.start();
    return one;
  };

  const leave = (id: Id<'rly'>, one: Followed, subscriber: Subscriber): void => {
    subscriber.left = true;
    subscriber.wake();
    if (!one.subscribers.delete(subscriber) || one.subscribers.size > 0) return;
    one.unlisten();
    followed.delete(id);
  };

  const changesOf = (
    id: Id<'rly'>,
    one: Followed,
    subscriber: Subscriber,
    after: number,
  ): Pushable<RelayView> => {
    let position = after;
    const hasLeft = () => subscriber.left || closed;
    const finish = () => leave(id, one, subscriber);
    /** The next change, if it is in memory. */
    const kept = () => one.changes[position + 1 - one.changes[0]!.sequence];
    /** Whether the next changes are no longer in memory, as for a request that was retried many times. */
    const isFarBehind = () => position < one.changes[0]!.sequence - 1;
    const read = () => findView(database, id, position + 1);
    const isEnd = () => isTerminal(one.changes.at(-1)!.status);
    return {
      ...leftBy(finish),
      async next() {
        while (!hasLeft()) {
          const value = isFarBehind() ? await read() : kept();
          if (value) {
            position = value.sequence;
            return { done: false, value };
          }
          if (isEnd()) finish();
          // Nothing was awaited since the check, so no change is missed before the wait.
          else await new Promise<void>((resolve) => (subscriber.wake = resolve));
        }
        finish();
        return { done: true, value: undefined };
      },
      pushTo(take, end) {
        let [hasRoom, hasEnded] = [true, false];
        const finishWith = (thrown?: unknown) => {
          if (hasEnded) return;
          hasEnded = true;
          finish();
          end(thrown);
        };
        const give = (view: RelayView | null | undefined) => {
          if (!view || hasEnded) return;
          position = view.sequence;
          hasRoom = take(view);
        };
        const pushOn = () => {
          while (!hasEnded) {
            if (hasLeft()) finishWith();
            else if (!hasRoom) return;
            else if (isFarBehind()) {
              hasRoom = false;
              read().then((view) => {
                hasRoom = true;
                give(view);
                pushOn();
              }, finishWith);
            } else {
              const view = kept();
              if (view) give(view);
              else if (isEnd()) finishWith();
              else return;
            }
          }
        };
        subscriber.wake = pushOn;
        pushOn();
        return () => {
          hasRoom = true;
          pushOn();
        };
      },
    };
  };

  return {
    get stats() {
      const subscribers = [...followed.values()].reduce((sum, one) => sum + one.subscribers.size, 0);
      return { requests: followed.size, subscribers, reads };
    },
    async follow(id, after) {
      const subscriber: Subscriber = { wake: () => undefined, left: false };
      const one = enter(id, subscriber);
      try {
        await look([id]);
      } catch (thrown) {
        leave(id, one, subscriber);
        throw thrown;
      }
      const newest = one.changes.at(-1);
      if (!newest) {
        leave(id, one, subscriber);
        throw notFound('relay request');
      }
      return changesOf(id, one, subscriber, after ?? newest.sequence - 1);
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      for (const [id, one] of followed) for (const subscriber of one.subscribers) leave(id, one, subscriber);
      await polling.stop();
      await running;
    },
  };
}

/** Marks a change as not the newest, because another one follows it. */
function superseded(view: RelayView): RelayView {
  return view.isNewest ? { ...view, isNewest: false, retryAllowed: false } : view;
}

function* inParts<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
