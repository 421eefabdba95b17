import { isPushable, leftBy, type Pushable } from '../../../platform/signals/index.js';

/**
 * Maps each event in order, and drops those that become `undefined`. An error of `change` ends the events. The result can be
 * pushed if the events can.
 */
export function mapEvents<Event, Result>(
  events: AsyncIterable<Event>,
  change: (event: Event) => Result | undefined | Promise<Result | undefined>,
): AsyncGenerator<Result, void, void> | Pushable<Result> {
  const source = events[Symbol.asyncIterator]();
  const asked: AsyncGenerator<Result, void, void> = {
    ...leftBy(() => source.return?.()),
    async next() {
      for (;;) {
        const step = await source.next();
        if (step.done) return { done: true, value: undefined };
        try {
          const value = await change(step.value);
          if (value !== undefined) return { done: false, value };
        } catch (thrown) {
          await source.return?.();
          throw thrown;
        }
      }
    },
  };
  return isPushable(events) ? { ...asked, pushTo: pushed(events, change) } : asked;
}

const pushed =
  <Event, Result>(
    events: Pushable<Event>,
    change: (event: Event) => Result | undefined | Promise<Result | undefined>,
  ): Pushable<Result>['pushTo'] =>
  (take, end) => {
    let failure: unknown;
    let hasEnded = false;
    const give = (value: Result | undefined) => value === undefined || take(value);
    const fail = (thrown: unknown) => {
      failure ??= thrown;
      void events.return();
      return false;
    };
    const resume = events.pushTo(
      (event) => {
        try {
          const value = change(event);
          if (!(value instanceof Promise)) return give(value);
          value.then((made) => {
            if (!hasEnded && give(made)) resume();
          }, fail);
          return false;
        } catch (thrown) {
          return fail(thrown);
        }
      },
      (thrown) => {
        hasEnded = true;
        end(failure ?? thrown);
      },
    );
    return resume;
  };
