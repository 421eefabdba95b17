/**
 * What becomes of each event, in their order, and nothing for one that becomes `undefined`. What `change` throws ends the
 * events. Made by hand: an async generator's `return` would wait for the event that may never come.
 */
export function mapEvents<Event, Result>(
  events: AsyncIterable<Event>,
  change: (event: Event) => Promise<Result | undefined>,
): AsyncGenerator<Result, void, void> {
  const source = events[Symbol.asyncIterator]();
  const leave = async () => {
    await source.return?.();
    return { done: true, value: undefined } as const;
  };
  return {
    async next() {
      for (;;) {
        const step = await source.next();
        if (step.done) return { done: true, value: undefined };
        try {
          const value = await change(step.value);
          if (value !== undefined) return { done: false, value };
        } catch (thrown) {
          await leave();
          throw thrown;
        }
      }
    },
    return: leave,
    throw: leave,
    [Symbol.asyncIterator]() {
      return this;
    },
    [Symbol.asyncDispose]: async () => {
      await leave();
    },
  };
}
