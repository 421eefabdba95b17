import { leftBy, type Pushable } from '../../../platform/signals/index.js';

/**
 * Pushes events into `send`, from the first `next` on. Who iterates is given only those that `send` does not take, each of which
 * holds up the others until the next is asked for, and the end.
 *
 * @param send Says whether there is room for another, or else calls `written` once there is; `undefined` if it does not take
 *   this one.
 */
export function sendPushed<Event>(
  events: Pushable<Event>,
  send: (event: Event, written: () => void) => boolean | undefined,
): AsyncGenerator<Event, void, void> {
  type Step = IteratorResult<Event, void>;
  let asked: PromiseWithResolvers<Step> | undefined;
  let outcome: Promise<Step> | undefined;
  let resume: (() => void) | undefined;
  let isFull = false;

  const written = () => {
    if (!isFull) return;
    isFull = false;
    resume?.();
  };
  const take = (event: Event): boolean => {
    const room = send(event, written);
    if (room !== undefined) {
      isFull = !room;
      return room;
    }
    asked?.resolve({ done: false, value: event });
    asked = undefined;
    return false;
  };
  const end = (thrown?: unknown) => {
    const ending = asked ?? Promise.withResolvers<Step>();
    outcome = ending.promise;
    // Who iterates may never ask again.
    outcome.catch(() => undefined);
    if (thrown === undefined) ending.resolve({ done: true, value: undefined });
    else ending.reject(thrown);
  };
  return {
    ...leftBy(() => events.return()),
    next() {
      if (outcome) return outcome;
      asked = Promise.withResolvers();
      const { promise } = asked;
      if (resume) resume();
      else resume = events.pushTo(take, end);
      return promise;
    },
  };
}
