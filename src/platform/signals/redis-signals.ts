import { Redis } from 'ioredis';
import type { Log } from '../kernel/log.js';
import { createSignals, type Signals, type SignalReceiver, type SignalTransport } from './signals.js';

const CHANNEL = 'lucarne:signals';

/** Signals between instances over Redis publish and subscribe. Without Redis, the other instances notice by polling. */
export const redisSignals = (url: string, log: Log): Signals =>
  createSignals((receiver) => connectRedis(url, log, receiver));

function connectRedis(url: string, log: Log, received: SignalReceiver): SignalTransport {
  const options = { lazyConnect: false, enableOfflineQueue: false, maxRetriesPerRequest: 1 } as const;
  const sender = new Redis(url, options);
  const receiver = new Redis(url, { ...options, autoResubscribe: false });
  const warn = (thrown: unknown) => log.warn({ err: thrown }, 'Redis does not answer; polling continues.');
  sender.on('error', warn);
  receiver.on('error', warn);
  receiver.on('ready', () => {
    receiver.subscribe(CHANNEL).then(() => received.everything(), warn);
  });
  receiver.on('message', (_channel, topic) => received.topic(topic));
  return {
    send: (topic) => void sender.publish(CHANNEL, topic).catch(warn),
    [Symbol.asyncDispose]() {
      sender.disconnect();
      receiver.disconnect();
      return Promise.resolve();
    },
  };
}
