import { EventEmitter } from 'node:events';

/**
 * Wake-ups between the parts of an instance and between instances. A signal says only "look again": readers catch up
 * by sequence number from the tables, so a signal that is lost, doubled or late loses nothing.
 */
export interface Signals extends AsyncDisposable {
  /** Tells every listener of `topic`, here and in the other instances. Never throws, never waits. */
  publish(topic: string): void;
  /** Calls `listener` at each signal of `topic`, and once after a connection was lost and made again. */
  listen(topic: string, listener: () => void): () => void;
}

/** Signals within one process: all that the embedded default needs. */
export function inProcessSignals(): Signals {
  const emitter = new EventEmitter().setMaxListeners(0);
  return {
    publish: (topic) => void emitter.emit(topic),
    listen(topic, listener) {
      emitter.on(topic, listener);
      return () => void emitter.off(topic, listener);
    },
    [Symbol.asyncDispose]() {
      emitter.removeAllListeners();
      return Promise.resolve();
    },
  };
}
