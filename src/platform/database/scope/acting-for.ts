import { AsyncLocalStorage } from 'node:async_hooks';
import type { Id } from '../../kernel/ids.js';

/**
 * The organizations that statements run for, in addition to the statements' own conditions. Row-level security limits a
 * statement to the rows of these organizations, and to none if no organization is set.
 */
const present = new AsyncLocalStorage<Present>();

interface Present {
  readonly scope: string | undefined;
  /** Whose share of the connections is used; `undefined` if no organization's. */
  readonly share: string | undefined;
}

/** The setting of a PostgreSQL session or transaction that the policies of tables read. */
export const SCOPE_SETTING = 'lucarne.acting_for';
const EVERY_ORGANIZATION = '*';

/**
 * Runs `work` so that its statements and transactions see rows of these organizations only. It uses the share of one, and of
 * none if there are several: nobody waits for a place of another organization.
 */
export function actingFor<Result>(organizationIds: readonly Id<'org'>[], work: () => Result): Result {
  const different = [...new Set(organizationIds)];
  const share = different.length === 1 ? different[0] : undefined;
  return present.run({ scope: different.join(','), share }, work);
}

/**
 * Runs `work` so that its statements see the rows of every organization: for loops that serve all of them, for operator
 * commands, for code that determines the organization of a row, and for reads whose answer several callers share. The
 * statements themselves state what they read.
 */
export function acrossOrganizations<Result>(work: () => Result): Result {
  return present.run({ scope: EVERY_ORGANIZATION, share: undefined }, work);
}

/**
 * Runs `work` so that it uses the organization's share of the connections, whatever rows they see: for requests about
 * one organization that {@link acrossOrganizations} serves.
 */
export function inShareOf<Result>(organizationId: Id<'org'>, work: () => Result): Result {
  return present.run({ scope: presentScope(), share: organizationId }, work);
}

/** The current value of {@link SCOPE_SETTING}: empty for no organization, and undefined if no code has set one. */
export function presentScope(): string | undefined {
  return present.getStore()?.scope;
}

export function presentShare(): string | undefined {
  return present.getStore()?.share;
}

/**
 * Reads a stream piece by piece, each piece inside `enter`: a stream asks for a piece whenever its reader has room, when no
 * organization is set. Not an async generator, because its `return` would wait for a piece that may never arrive.
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
