/** Delivers no event before `check` has resolved; what it throws ends the events. */
export function guardedEvents<Event>(
  events: AsyncIterable<Event>,
  check: () => Promise<void>,
): AsyncGenerator<Event, void, void> {
  const source = events[Symbol.asyncIterator]();
  const leave = async () => {
    await source.return?.();
    return { done: true, value: undefined } as const;
  };
  const passed = async (step: Promise<IteratorResult<Event, void>>) => {
    const result = await step;
    if (result.done) return result;
    try {
      await check();
      return result;
    } catch (thrown) {
      await leave();
      throw thrown;
    }
  };
  // Made by hand: an async function's `return` would wait for the event that may never come.
  return {
    next: () => passed(source.next()),
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
