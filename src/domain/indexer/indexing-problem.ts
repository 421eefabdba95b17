import type { IndexingReason } from './mint-state.js';

/** A problem that stops a pass or makes it incomplete. `detail` is for the log, and contains only addresses and signatures. */
export class IndexingProblem extends Error {
  override readonly name = 'IndexingProblem';

  constructor(
    readonly reason: IndexingReason,
    readonly detail: Readonly<Record<string, string | number>> = {},
  ) {
    super(`Indexing is delayed: ${reason}.`);
  }
}
