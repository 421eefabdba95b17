import { WakeUp } from '../kernel/wake-up.js';
import type { Signals } from './signals.js';

export interface FollowOptions {
  readonly signal?: AbortSignal;
  /** How often the table is read without a wake-up: a lost signal costs this much time and nothing else. */
  readonly pollMilliseconds?: number;
}

/** What was read at a position of a table that is written in the order of its positions. */
export interface Positioned<Event> {
  readonly position: number;
  readonly event: Event;
}

export interface Followed<Event> {
  /** Told after rows were committed. */
  readonly topic: string;
  /** Only what is behind this position is wanted. */
  readonly behind: number;
  /** At most `limit` events behind a position, in the order of positions, which is that of their commits. */
  readonly read: (behind: number, limit: number) => Promise<readonly Positioned<Event>[]>;
  /** Events read at once: what a slow reader makes the server hold, and how stale an event can be when it is taken. */
  readonly batch: number;
}

const POLL_MILLISECONDS = 5_000;

/**
 * Follows a table by position, so that nothing is lost or doubled between two followers. A wake-up only says when to
 * look again. Ends when it is returned or aborted.
 */
export function followPositions<Event>(
  signals: Signals,
  { topic, behind, read, batch }: Followed<Event>,
  { signal, pollMilliseconds = POLL_MILLISECONDS }: FollowOptions = {},
): AsyncGenerator<Event, void, undefined> {
  const wakeUp = new WakeUp();
  let ended = false;
  const end = () => {
    ended = true;
    wakeUp.wake();
  };

  async function* follow(): AsyncGenerator<Event, void, undefined> {
    // Listening comes before the first read: what is committed between the two wakes it.
    const unlisten = signals.listen(topic, wakeUp.wake);
    signal?.addEventListener('abort', end, { once: true });
    try {
      let last = behind;
      while (!ended && !signal?.aborted) {
        const found = await read(last, batch);
        for (const { position, event } of found) {
          last = position;
          yield event;
        }
        if (found.length < batch) await wakeUp.wait(pollMilliseconds);
      }
    } finally {
      unlisten();
      signal?.removeEventListener('abort', end);
    }
  }

  // A generator's `return` waits for the pending `next`: the wait is ended first, so that an idle reader can leave.
  const generator = follow();
  const leave = generator.return.bind(generator);
  generator.return = (value) => {
    end();
    return leave(value);
  };
  return generator;
}
