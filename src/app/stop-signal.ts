import type { EventEmitter } from 'node:events';

const SAME_KEYSTROKE_MS = 500;

type Signalled = Pick<EventEmitter, 'on'> & { exit(code: number): void };

/** Resolves at the first SIGTERM or SIGINT; a later one ends the process immediately. */
export function stopSignal(process: Signalled, now = () => performance.now()): Promise<'stop'> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const stop = () => {
      first ??= now();
      // The terminal sends Ctrl-C to every process, and npm forwards it again: both signals are one keystroke.
      if (now() - first > SAME_KEYSTROKE_MS) process.exit(130);
      resolve('stop');
    };
    for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, stop);
  });
}
