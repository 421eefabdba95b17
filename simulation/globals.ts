import { AsyncLocalStorage } from 'node:async_hooks';
import { Machine, MAX_LOOP_PAUSE_MS, type Scheduled } from './scheduler.ts';

/** Answers the network requests of a process. */
export type Network = (machine: Machine, url: string, init: RequestInit) => Promise<Response>;

/** 2030-01-01, so that no simulated time can be mistaken for a real one. */
export const EPOCH_MS = 1_893_456_000_000;

const inside = new AsyncLocalStorage<Machine>();
let worldTime: (() => number) | undefined;
let network: Network | undefined;

/** The process whose code runs; `undefined` for the world around the processes. */
export const currentMachine = (): Machine | undefined => inside.getStore();

export const enterMachine = (machine: Machine, run: () => void): void => inside.run(machine, run);

/** Sets the clock that the database reads, and the network that processes reach. */
export function setWorld(time: () => number, reach: Network): void {
  worldTime = time;
  network = reach;
}

/**
 * Replaces what a program takes from its environment: timers, clocks, randomness and `fetch`. Only code that runs inside a
 * simulated process sees the replacements, so that product code does not have to know about them and cannot bypass them.
 */
export function replaceGlobals(): void {
  const real = {
    ...{ setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate },
    ...{ fetch, dateNow: Date.now, random: Math.random, timeout: AbortSignal.timeout.bind(AbortSignal) },
    performanceNow: performance.now.bind(performance),
    getRandomValues: crypto.getRandomValues.bind(crypto),
  };
  type Callback = (...values: unknown[]) => void;
  const timer =
    (wait: (afterMs: number) => number, otherwise: Callback, isRepeated = false) =>
    (run: Callback, afterMs?: number, ...values: unknown[]): unknown => {
      const machine = currentMachine();
      if (!machine) {
        otherwise(run, afterMs, ...values);
        return;
      }
      return new SimulatedTimer(machine, wait(afterMs ?? 0), () => run(...values), isRepeated);
    };
  const clear = (otherwise: (handle: never) => void) => (handle: unknown) => {
    if (handle instanceof SimulatedTimer) handle.close();
    else otherwise(handle as never);
  };
  const atLeastOne = (afterMs: number) => (afterMs >= 1 ? afterMs : 1);
  Object.assign(globalThis, {
    setTimeout: timer(atLeastOne, real.setTimeout as Callback),
    setInterval: timer(atLeastOne, real.setInterval as Callback, true),
    setImmediate: (run: Callback, ...values: unknown[]) =>
      currentMachine()
        ? new SimulatedTimer(currentMachine()!, 0, () => run(...values), false)
        : real.setImmediate(run, ...values),
    clearTimeout: clear(real.clearTimeout),
    clearInterval: clear(real.clearInterval),
    clearImmediate: clear(real.clearImmediate),
    fetch: (url: string, init: RequestInit) => {
      const machine = currentMachine();
      if (!machine || !network) throw new Error('Only simulated processes reach the simulated network.');
      return network(machine, url, init);
    },
  });
  Date.now = () => {
    const machine = currentMachine();
    if (machine) return Math.floor(EPOCH_MS + machine.scheduler.now + machine.skewMs);
    return worldTime ? Math.floor(EPOCH_MS + worldTime()) : real.dateNow();
  };
  performance.now = () => currentMachine()?.scheduler.now ?? real.performanceNow();
  Math.random = () => currentMachine()?.random.next() ?? real.random();
  crypto.getRandomValues = <View extends Parameters<typeof real.getRandomValues>[0]>(view: View): View => {
    const machine = currentMachine();
    if (!machine) return real.getRandomValues(view);
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    bytes.set(machine.random.bytes(bytes.length));
    return view;
  };
  AbortSignal.timeout = (afterMs) => {
    if (!currentMachine()) return real.timeout(afterMs);
    const aborting = new AbortController();
    const late = () => aborting.abort(new DOMException('The operation timed out.', 'TimeoutError'));
    setTimeout(late, afterMs);
    return aborting.signal;
  };
}

/** The return value of `setTimeout` in a simulated process. */
class SimulatedTimer {
  #scheduled: Scheduled;

  constructor(machine: Machine, afterMs: number, run: () => void, isRepeated: boolean) {
    const wait = () => machine.scheduler.after(afterMs, again, machine, afterMs <= MAX_LOOP_PAUSE_MS);
    const again = () => {
      if (isRepeated) this.#scheduled = wait();
      run();
    };
    this.#scheduled = wait();
  }

  close(): void {
    this.#scheduled.isCancelled = true;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }
}
