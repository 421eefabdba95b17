import { EventEmitter } from 'node:events';

/**
 * Wake-ups between the parts of an instance and between instances. A signal says only "look again". Readers catch up
 * from the tables by sequence number, so a signal that is lost, doubled or late loses nothing.
 */
export interface Signals extends AsyncDisposable {
  /** Calls every listener of `topic`, here and in the other instances. Never throws, never waits. */
  publish(topic: string): void;
  /** Calls `listener` at each signal of `topic`, and once after a lost connection was restored. */
  listen(topic: string, listener: () => void): () => void;
}

/** Carries signals to the other instances. */
export interface SignalTransport extends AsyncDisposable {
  /** Never throws, never waits. */
  send(topic: string): void;
}

/** What a transport received. */
export interface SignalReceiver {
  topic(topic: string): void;
  /** Signals may have been lost: every listener looks again. */
  everything(): void;
}

/** Signals within one process: all that the embedded default needs. */
export const inProcessSignals = (): Signals =>
  createSignals(() => ({ send: () => undefined, [Symbol.asyncDispose]: () => Promise.resolve() }));

/** Signals over a transport. The listeners of this instance are called immediately, even if the transport fails. */
export function createSignals(connect: (receiver: SignalReceiver) => SignalTransport): Signals {
  const emitter = new EventEmitter().setMaxListeners(0);
  const transport = connect({
    topic: (topic) => void emitter.emit(topic),
    everything() {
      for (const topic of emitter.eventNames()) emitter.emit(topic);
    },
  });
  return {
    publish(topic) {
      emitter.emit(topic);
      transport.send(topic);
    },
    listen(topic, listener) {
      emitter.on(topic, listener);
      return () => void emitter.off(topic, listener);
    },
    async [Symbol.asyncDispose]() {
      emitter.removeAllListeners();
      await transport[Symbol.asyncDispose]();
    },
  };
}
