import { leftBy, type Pushable } from '../../../platform/signals/index.js';

/**
 * Pushes events into `send`, from the first `next` on. The iterator yields only the events that `send` does not accept, and
 * the end. A yielded event delays later ones until the next call of `next`.
 *
 * @param send Returns whether there is room for another event. If there is none, it calls `written` once there is. Returns
 *   `undefined` if it does not accept this event.
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
    // The consumer may not call `next` again.
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
