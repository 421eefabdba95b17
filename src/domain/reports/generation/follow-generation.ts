import type { Foundation } from '../../../platform/database/index.js';
import { leavable, WakeUp } from '../../../platform/jobs/index.js';
import type { Principal } from '../../access/index.js';
import { type FindGenerationInput, findOwnGeneration } from './find-generation.js';
import { generationTopic, type ReportGeneration } from './generation-rows.js';
import { requireReports } from '../report-access.js';

const POLL_MS = 5_000;

/** The current state of a generation, and its state after each change, until it is finished or failed. */
export async function followGeneration(
  foundation: Foundation,
  principal: Principal | undefined,
  input: FindGenerationInput,
  { pollMs = POLL_MS }: { readonly pollMs?: number } = {},
): Promise<AsyncGenerator<ReportGeneration, void, undefined>> {
  const access = requireReports(principal, input.foreignId, 'reports:create');
  const first = await findOwnGeneration(foundation, access, input.id);
  const wakeUp = new WakeUp();
  let left = false;

  async function* read(): AsyncGenerator<ReportGeneration, void, undefined> {
    // Listens before the first read, so that no change is missed.
    const unlisten = foundation.signals.listen(generationTopic(first.id), wakeUp.wake);
    try {
      for (let shown: ReportGeneration | undefined; !left;) {
        const now = await findOwnGeneration(foundation, access, first.id);
        if (shown === undefined || differs(shown, now)) yield now;
        if (now.status !== 'running') return;
        shown = now;
        await wakeUp.wait(pollMs);
      }
    } finally {
      unlisten();
    }
  }

  return leavable(read(), () => {
    left = true;
    wakeUp.wake();
  });
}

const differs = (one: ReportGeneration, other: ReportGeneration) =>
  one.status !== other.status ||
  one.recordCount !== other.recordCount ||
  one.recordTotal !== other.recordTotal;
