import { EventEmitter } from 'node:events';
import { Redis } from 'ioredis';
import { messageOf } from '../kernel/errors.js';
import type { Log } from '../kernel/log.js';
import type { Signals } from './signals.js';

const CHANNEL = 'lucarne:signals';

/** Signals between instances over Redis publish and subscribe. Without Redis the others notice by polling. */
export function redisSignals(url: string, log: Log): Signals {
  const emitter = new EventEmitter().setMaxListeners(0);
  const options = { lazyConnect: false, enableOfflineQueue: false, maxRetriesPerRequest: 1 } as const;
  const sender = new Redis(url, options);
  const receiver = new Redis(url, { ...options, autoResubscribe: false });
  const warn = (thrown: unknown) =>
    log.warn({ reason: messageOf(thrown) }, 'Redis does not answer; polling goes on.');
  sender.on('error', warn);
  receiver.on('error', warn);
  receiver.on('ready', () => {
    receiver.subscribe(CHANNEL).then(() => {
      for (const topic of emitter.eventNames()) emitter.emit(topic);
    }, warn);
  });
  receiver.on('message', (_channel, topic) => void emitter.emit(topic));
  return {
    publish(topic) {
      emitter.emit(topic);
      sender.publish(CHANNEL, topic).catch(warn);
    },
    listen(topic, listener) {
      emitter.on(topic, listener);
      return () => void emitter.off(topic, listener);
    },
    [Symbol.asyncDispose]() {
      emitter.removeAllListeners();
      sender.disconnect();
      receiver.disconnect();
      return Promise.resolve();
    },
  };
}
