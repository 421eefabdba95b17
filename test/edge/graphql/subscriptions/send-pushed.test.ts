import { describe, expect, it } from '@jest/globals';

import { mapEvents } from '../../../../src/edge/graphql/subscriptions/map-events.js';
import { sendPushed } from '../../../../src/edge/graphql/subscriptions/send-pushed.js';
import { isPushable, leftBy, type Pushable } from '../../../../src/platform/signals/index.js';
import { fc } from '../../../kit/properties.js';

/** Events that arrive when the test decides. */
function source() {
  const waiting: number[] = [];
  let [isClosed, isOver, hasEnded, hasRoom] = [false, false, false, true];
  let take: ((event: number) => boolean) | undefined;
  let end: ((thrown?: unknown) => void) | undefined;
  const pushOn = () => {
    while (take && hasRoom && !isOver && waiting.length > 0) hasRoom = take(waiting.shift()!);
    const isDone = isClosed && hasRoom && waiting.length === 0;
    if (!take || hasEnded || !(isOver || isDone)) return;
    hasEnded = true;
    end?.();
  };
  const events: Pushable<number> = {
    ...leftBy(() => {
      isOver = true;
      pushOn();
    }),
    next: () => Promise.reject(new Error('It is not asked.')),
    pushTo(taken, ended) {
      [take, end] = [taken, ended];
      pushOn();
      return () => {
        hasRoom = true;
        pushOn();
      };
    },
  };
  return {
    events,
    hasEnded: () => hasEnded,
    emit: (event: number) => {
      waiting.push(event);
      pushOn();
    },
    close: () => {
      isClosed = true;
      pushOn();
    },
  };
}

const turn = () => new Promise(setImmediate);
/** The fate of an event: sent, sent with nothing more for now, not accepted, or dropped; at once or later. */
const fates = fc.array(
  fc.record({ fate: fc.constantFrom('sent', 'full', 'not taken', 'nothing'), isLater: fc.boolean() }),
  { maxLength: 20 },
);

describe('pushed events', () => {
  it('are delivered once and in order, by send or by iteration, at any buffer size', async () => {
    await fc.assert(
      fc.asyncProperty(fates, fc.boolean(), async (all, areThereBefore) => {
        const { events, emit, close } = source();
        const mapped = mapEvents(events, (number) => {
          const { fate, isLater } = all[number]!;
          const value = fate === 'nothing' ? undefined : { number, fate };
          return isLater ? turn().then(() => value) : value;
        });
        if (!isPushable(mapped)) throw new Error('It cannot be pushed.');
        const deliveries: [number, string][] = [];
        const iterated = sendPushed(mapped, ({ number, fate }, written) => {
          if (fate === 'not taken') return undefined;
          deliveries.push([number, 'sent']);
          setImmediate(written);
          return fate === 'sent';
        });
        if (areThereBefore) for (const number of all.keys()) emit(number);
        const reading = (async () => {
          for await (const { number } of iterated) {
            deliveries.push([number, 'given']);
            await turn();
          }
        })();
        for (const number of areThereBefore ? [] : all.keys()) {
          emit(number);
          if (number % 3 === 0) await turn();
        }
        close();
        await reading;
        expect(deliveries).toEqual(
          [...all.entries()].flatMap(([number, { fate }]) =>
            fate === 'nothing' ? [] : [[number, fate === 'not taken' ? 'given' : 'sent']],
          ),
        );
        expect(await iterated.next()).toEqual({ done: true, value: undefined });
      }),
    );
  });

  it('end for a subscriber that leaves while nothing arrives', async () => {
    const { events, hasEnded } = source();
    const iterated = sendPushed(events, () => true);
    const asked = iterated.next();
    await iterated.return();
    expect(await asked).toEqual({ done: true, value: undefined });
    expect(hasEnded()).toBe(true);
  });

  it('are delivered once to a subscriber that leaves after an unsent event', async () => {
    const { events, emit } = source();
    const iterated = sendPushed(events, () => undefined);
    const asked = iterated.next();
    emit(7);
    expect(await asked).toEqual({ done: false, value: 7 });
    await iterated.return();
    expect(await iterated.next()).toEqual({ done: true, value: undefined });
  });

  it('are not sent to a subscriber that left before they were executed', async () => {
    const { events, emit } = source();
    const sent: number[] = [];
    const iterated = sendPushed(
      mapEvents(events, (number) => turn().then(() => number)) as Pushable<number>,
      (one) => sent.push(one) > 0,
    );
    const asked = iterated.next();
    emit(7);
    await iterated.return();
    await turn();
    await turn();
    expect(sent).toEqual([]);
    expect(await asked).toEqual({ done: true, value: undefined });
  });

  it.each([
    ['at once', () => false],
    ['later', () => true],
  ])('end with what becoming something else fails with %s', async (_, isLater) => {
    const { events, emit } = source();
    const mapped = mapEvents(events, (number) => {
      if (isLater()) return turn().then(() => Promise.reject(new Error(`It broke at ${number}.`)));
      throw new Error(`It broke at ${number}.`);
    }) as Pushable<number>;
    const iterated = sendPushed(mapped, () => true);
    const asked = iterated.next();
    emit(7);
    await expect(asked).rejects.toThrow('It broke at 7.');
    await expect(iterated.next()).rejects.toThrow('It broke at 7.');
  });
});
