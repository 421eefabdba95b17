import type { Foundation } from '../../../src/platform/database/index.js';

/**
 * The same foundation, but `event` happens before its first transaction begins: after everything that was checked without one. Or
 * before a later transaction, counted from 1.
 */
export function overtakenBy(foundation: Foundation, event: () => Promise<unknown>, before = 1): Foundation {
  const { database } = foundation;
  let begun = 0;
  let happened: Promise<unknown> | undefined;
  return {
    ...foundation,
    database: {
      ...database,
      transaction: async (work) => {
        begun += 1;
        if (begun >= before) await (happened ??= event());
        return database.transaction(work);
      },
    },
  };
}
