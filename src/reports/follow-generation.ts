import type { Foundation } from '../database/index.js';
import { WakeUp } from '../kernel/wake-up.js';
import type { Principal } from '../organizations/index.js';
import { locateGeneration, type FindGenerationInput } from './find-generation.js';
import { generationTopic, type ReportGeneration } from './generation-rows.js';
import { requireReports } from './report-access.js';

const POLL_MILLISECONDS = 5_000;

/** A generation as it is, and then at each change, until it is finished or has failed. */
export async function followGeneration(
  foundation: Foundation,
  principal: Principal | undefined,
  input: FindGenerationInput,
  { pollMilliseconds = POLL_MILLISECONDS }: { readonly pollMilliseconds?: number } = {},
): Promise<AsyncGenerator<ReportGeneration, void, undefined>> {
  const access = requireReports(principal, input.application, 'reports:create');
  const first = await locateGeneration(foundation, access, input.id);
  const wakeUp = new WakeUp();
  let left = false;

  async function* read(): AsyncGenerator<ReportGeneration, void, undefined> {
    // Listening comes before the first read: what changes between the two wakes it.
    const unlisten = foundation.signals.listen(generationTopic(first.id), wakeUp.wake);
    try {
      for (let shown: ReportGeneration | undefined; !left;) {
        const now = await locateGeneration(foundation, access, first.id);
        if (shown === undefined || differs(shown, now)) yield now;
        if (now.status !== 'running') return;
        shown = now;
        await wakeUp.wait(pollMilliseconds);
      }
    } finally {
      unlisten();
    }
  }

  // A generator's `return` waits for the pending `next`: the wait is ended first, so that an idle reader can leave.
  const generator = read();
  const leave = generator.return.bind(generator);
  generator.return = (value) => {
    left = true;
    wakeUp.wake();
    return leave(value);
  };
  return generator;
}

const differs = (one: ReportGeneration, other: ReportGeneration) =>
  one.status !== other.status ||
  one.recordCount !== other.recordCount ||
  one.recordTotal !== other.recordTotal;
