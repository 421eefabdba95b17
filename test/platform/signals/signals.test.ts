import { afterEach, describe, expect, it } from '@jest/globals';
import {
  inProcessSignals,
  postgresqlSignals,
  redisSignals,
  type Signals,
} from '../../../src/platform/signals/index.js';
import { silentLog } from '../../../src/platform/kernel/log.js';
import { atLeast, eventually } from '../../kit/eventually.js';
import { startDatabaseProxy } from '../../kit/database/database-proxy.js';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

/** Counts how often the topic was signalled to the instance. */
function ear(signals: Signals, topic: string) {
  const heard = { count: 0 };
  signals.listen(topic, () => (heard.count += 1));
  return heard;
}

describe('signals in one process', () => {
  it('reach the listeners of their topic, until they unsubscribe', () => {
    const signals = inProcessSignals();
    const [heard, other] = [ear(signals, 'one'), ear(signals, 'other')];
    let last = 0;
    const unlisten = signals.listen('one', () => (last += 1));
    signals.publish('one');
    unlisten();
    signals.publish('one');
    expect([heard.count, last, other.count]).toEqual([2, 1, 0]);
  });
});

describe.each([
  ['PostgreSQL', process.env['DATABASE_URL'], (url: string) => postgresqlSignals(url, silentLog)],
  ['Redis', process.env['REDIS_URL'], (url: string) => redisSignals(url, silentLog)],
] as const)('signals over %s', (_name, url, open) => {
  const itWithServer = url === undefined ? it.skip : it;
  // Other tests share the server.
  const topic = `signals-test:${process.pid}:${Math.random()}`;
  const instance = (at: string): Signals => {
    const signals = open(at);
    opened.push(signals);
    return signals;
  };

  itWithServer('reach the other instances, and only the listeners of their topic', async () => {
    const [one, other] = [instance(url!), instance(url!)];
    const [heard, elsewhere] = [ear(other, topic), ear(other, `${topic}:other`)];
    const begun = elsewhere.count;
    await eventually(() => {
      one.publish(topic);
      return heard.count > 0;
    });
    // Only a new connection wakes every listener, once.
    expect(elsewhere.count - begun).toBeLessThanOrEqual(1);
  });

  itWithServer('tell everyone to look again once a server that was gone is back', async () => {
    const proxy = await startDatabaseProxy(url!);
    opened.push(proxy);
    const [near, far] = [instance(url!), instance(proxy.url)];
    const heard = ear(far, topic);
    await eventually(() => {
      near.publish(topic);
      return heard.count > 0;
    });
    await proxy.cut();
    const own = ear(far, `${topic}:own`);
    // Listeners of the same instance are called at once, even without the server.
    far.publish(`${topic}:own`);
    expect(own.count).toBe(1);
    const missed = heard.count;
    near.publish(topic);
    await proxy.restore();
    await eventually(() => heard.count, atLeast(missed + 1));
  });
});
