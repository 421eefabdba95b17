import { AsyncLocalStorage } from 'node:async_hooks';
import type { Id } from '../../kernel/ids.js';

/**
 * For whom statements run: the second lock after the statements' own conditions. Row-level security lets a statement see
 * and write the rows of these organizations only, and of none where nobody said for whom.
 */
const present = new AsyncLocalStorage<string>();

/** The setting of a PostgreSQL session or transaction that the policies of tables read. */
export const SCOPE_SETTING = 'lucarne.acting_for';
const EVERY_ORGANIZATION = '*';

/** Runs `work` so that its statements and transactions see rows of these organizations only. */
export function actingFor<Result>(organizationIds: readonly Id<'org'>[], work: () => Result): Result {
  return present.run([...new Set(organizationIds)].join(','), work);
}

/**
 * Runs `work` so that its statements see the rows of every organization: for loops that serve all of them, for the commands
 * of an operator, and for what finds out of which organization something is. The statements themselves say what they read.
 */
export function acrossOrganizations<Result>(work: () => Result): Result {
  return present.run(EVERY_ORGANIZATION, work);
}

/** The value of {@link SCOPE_SETTING} here: empty for no organization, and undefined where no code said for whom it runs. */
export function presentScope(): string | undefined {
  return present.getStore();
}

/**
 * What is asked for piece by piece, each piece inside `enter`: a stream asks whenever its reader has room, and then nobody
 * has said for whom. Made by hand: an async generator's `return` would wait for a piece that may never come.
 */
export function piecewise<Piece>(
  enter: <Result>(work: () => Result) => Result,
  pieces: () => AsyncIterable<Piece>,
): AsyncIterableIterator<Piece, void, undefined> {
  const iterator = enter(() => pieces()[Symbol.asyncIterator]());
  return {
    next: () => enter(() => iterator.next()),
    async return() {
      await enter(() => iterator.return?.());
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
