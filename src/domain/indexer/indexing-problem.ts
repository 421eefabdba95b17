import type { IndexingReason } from './mint-state.js';

/** What stops a pass, or makes it incomplete. `detail` is for the log: addresses and signatures only. */
export class IndexingProblem extends Error {
  override readonly name = 'IndexingProblem';

  constructor(
    readonly reason: IndexingReason,
    readonly detail: Readonly<Record<string, string | number>> = {},
  ) {
    super(`Indexing is held up: ${reason}.`);
  }
}
