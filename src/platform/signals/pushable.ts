/**
 * Events that can be asked for, as of any async iterator, or pushed. Where thousands follow the same events, a promise for each
 * event and follower costs more than the events.
 */
export interface Pushable<Event> extends AsyncGenerator<Event, void, void> {
  /**
   * Alternative to `next`: passes each event to `take` as soon as it is available, once and in order. `take` returns
   * `false` if there is no room for another. Calls `end` once: when there is room after the last event, after `return`, or
   * with a thrown error.
   *
   * @returns A function to call when there is room again.
   */
  pushTo(take: (event: Event) => boolean, end: (thrown?: unknown) => void): () => void;
}

export function isPushable<Event>(events: AsyncIterable<Event>): events is Pushable<Event> {
  return 'pushTo' in events;
}

/** What a {@link Pushable} made by hand has beside `next`, `leave` and `pushTo`: an async generator's `return` would wait for `next`. */
export function leftBy(leave: () => unknown): Omit<AsyncGenerator<never, void, void>, 'next'> {
  const left = async () => {
    await leave();
    return { done: true, value: undefined } as const;
  };
  return {
    return: left,
    throw: left,
    [Symbol.asyncIterator]() {
      return this as AsyncGenerator<never, void, void>;
    },
    [Symbol.asyncDispose]: async () => {
      await left();
    },
  };
}
