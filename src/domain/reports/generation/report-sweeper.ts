import type { Foundation } from '../../../platform/database/index.js';
import { createPollLoop, type PollLoop } from '../../../platform/jobs/index.js';
import { sweepGenerations } from './generation-rows.js';

/** Removes the remains of interrupted generations. Any number of sweepers may run. */
export function createReportSweeper({
  foundation,
  pollMs = 10_000,
}: {
  readonly foundation: Foundation;
  readonly pollMs?: number;
}): PollLoop {
  return createPollLoop({
    pollMs,
    async turn() {
      const swept = await sweepGenerations(foundation);
      if (swept > 0) foundation.log.warn({ swept }, 'Interrupted reports were removed.');
    },
    failed: (thrown) => foundation.log.warn({ err: thrown }, 'Removing interrupted reports failed.'),
  });
}
