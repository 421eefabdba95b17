import { Lanes, leavable, WakeUp } from '../../jobs/index.js';
import type { Signals } from '../../signals/index.js';
import { presentScope } from '../scope/acting-for.js';

export interface FollowOptions {
  readonly signal?: AbortSignal;
  /**
   * How often the table is read without a signal, in milliseconds, unless its organization has many followers. A lost signal
   * costs this time and nothing else.
   */
  readonly pollMs?: number;
  /** How long it pauses after a change, in milliseconds, if a check costs more than reading the new rows. */
  readonly pauseMs?: number;
}

/** One event of a table that is written in the order of its positions. */
export interface Positioned<Event, Position = number> {
  readonly position: Position;
  readonly event: Event;
}

/** A position is a number, or one number for each of several tables that are followed together. */
export interface Followed<Event, Position = number> {
  /** Each is signalled after rows were committed. */
  readonly topics: readonly string[];
  /** Only events after this position are read. */
  readonly after: Position;
  /** At most `limit` events after a position, in the order of positions, which is that of their commits. */
  readonly read: (after: Position, limit: number) => Promise<readonly Positioned<Event, Position>[]>;
  /**
   * Events read at a time: bounds what the server holds for a slow reader, and how outdated an event is when it is read.
   */
  readonly batch: number;
}

const DEFAULT_POLL_MS = 5_000;

/** As many followers of one organization read at a time: one signal can wake thousands, and the connections are for everyone. */
const READS_AT_A_TIME = 2;
const lanes = new Lanes(() => READS_AT_A_TIME);

/** Idle followers of one organization read the table 20 times a second together, so that thousands cost the others little. */
const POLL_SHARE_MS = 50;
const followersOf = new Map<string, number>();
function countFollower(lane: string, difference: 1 | -1): void {
  const count = (followersOf.get(lane) ?? 0) + difference;
  if (count > 0) followersOf.set(lane, count);
  else followersOf.delete(lane);
}

/**
 * Follows a table by position, so that no event is lost or repeated when a reader reconnects. A signal only says when
 * to look again. Ends when it is returned or aborted.
 */
export function followPositions<Event, Position = number>(
  signals: Signals,
  { topics, after, read, batch }: Followed<Event, Position>,
  { signal, pollMs = DEFAULT_POLL_MS, pauseMs = 0 }: FollowOptions = {},
): AsyncGenerator<Event, void, undefined> {
  const wakeUp = new WakeUp();
  const ending = new WakeUp();
  let ended = false;
  let leaveTurn: () => void = () => undefined;
  const end = () => {
    ended = true;
    wakeUp.wake();
    ending.wake();
    leaveTurn();
  };
  const lane = presentScope() ?? '';
  /** Reads when it may. Who leaves does not wait for that. */
  const readInTurn = (after: Position) =>
    new Promise<readonly Positioned<Event, Position>[]>((resolve, reject) => {
      leaveTurn = () => resolve([]);
      const work = async () => (ended ? [] : read(after, batch));
      lanes.run(lane, work).then(resolve, reject);
    });

  async function* follow(): AsyncGenerator<Event, void, undefined> {
    // Listening starts before the first read: a commit between the two wakes it.
    const listening = topics.map((topic) => signals.listen(topic, wakeUp.wake));
    signal?.addEventListener('abort', end, { once: true });
    countFollower(lane, 1);
    try {
      let last = after;
      while (!ended && !signal?.aborted) {
        const found = await readInTurn(last);
        for (const { position, event } of found) {
          last = position;
          yield event;
        }
        if (found.length > 0 && pauseMs > 0) await ending.wait(pauseMs);
        if (found.length < batch)
          await wakeUp.wait(Math.max(pollMs, POLL_SHARE_MS * (followersOf.get(lane) ?? 0)));
      }
    } finally {
      countFollower(lane, -1);
      for (const unlisten of listening) unlisten();
      signal?.removeEventListener('abort', end);
    }
  }

  return leavable(follow(), end);
}
