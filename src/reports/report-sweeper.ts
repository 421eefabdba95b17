import type { Foundation } from '../database/index.js';
import { messageOf } from '../kernel/errors.js';
import { WakeUp } from '../kernel/wake-up.js';
import { sweepGenerations } from './generation-rows.js';

/** Removes what generations left behind whose instance died. Any number may run. */
export interface ReportSweeper extends AsyncDisposable {
  start(): void;
  stop(): Promise<void>;
}

export function createReportSweeper({
  foundation,
  pollMilliseconds = 10_000,
}: {
  readonly foundation: Foundation;
  readonly pollMilliseconds?: number;
}): ReportSweeper {
  const wakeUp = new WakeUp();
  const stopping = new AbortController();
  const mayGoOn = () => !stopping.signal.aborted;
  let loop: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    while (mayGoOn()) {
      try {
        const swept = await sweepGenerations(foundation);
        if (swept > 0) foundation.log.warn({ swept }, 'Interrupted reports were removed.');
      } catch (thrown) {
        foundation.log.warn({ reason: messageOf(thrown) }, 'Interrupted reports cannot be removed.');
      }
      if (mayGoOn()) await wakeUp.wait(pollMilliseconds);
    }
  };

  const stop = async () => {
    stopping.abort();
    wakeUp.wake();
    await loop;
  };
  return { start: () => void (loop ??= run()), stop, [Symbol.asyncDispose]: stop };
}
