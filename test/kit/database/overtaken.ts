import type { Foundation } from '../../../src/platform/database/index.js';

/** The same foundation, but `event` happens before the first transaction begins: after everything that was checked without one. */
export function overtakenBy(foundation: Foundation, event: () => Promise<unknown>): Foundation {
  const { database } = foundation;
  let happened: Promise<unknown> | undefined;
  return {
    ...foundation,
    database: {
      ...database,
      transaction: async (work) => {
        await (happened ??= event());
        return database.transaction(work);
      },
    },
  };
}
