import { sql, type Foundation } from '../database/index.js';
import { messageOf } from '../kernel/errors.js';
import type { Id } from '../kernel/ids.js';

/** A last use is written again only when it is this old: a hot key costs one write a minute, not one a request. */
export const LAST_USE_MILLISECONDS = 60_000;

/** Notes last uses behind the request that made them: it neither waits for the write nor fails with it. */
export interface LastUses extends AsyncDisposable {
  noteApiKeys(ids: readonly Id<'key'>[], at: Date): void;
  noteSessions(ids: readonly Id<'ses'>[], at: Date): void;
}

export function isLastUseDue(lastUse: Date | null, at: Date): boolean {
  return lastUse === null || at.getTime() - lastUse.getTime() >= LAST_USE_MILLISECONDS;
}

export const noLastUses: LastUses = {
  noteApiKeys: () => undefined,
  noteSessions: () => undefined,
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

export function createLastUses(foundation: Foundation): LastUses {
  const beingWritten = new Set<string>();
  const writes = new Set<Promise<void>>();

  const note = (ids: readonly string[], write: (fresh: readonly string[]) => Promise<unknown>) => {
    const fresh = [...new Set(ids)].filter((id) => !beingWritten.has(id));
    if (fresh.length === 0) return;
    for (const id of fresh) beingWritten.add(id);
    const writing = write(fresh)
      .then(
        () => undefined,
        (thrown: unknown) =>
          foundation.log.warn({ err: messageOf(thrown) }, 'A last use could not be written.'),
      )
      .finally(() => {
        for (const id of fresh) beingWritten.delete(id);
        writes.delete(writing);
      });
    writes.add(writing);
  };

  // Rows that another instance is writing are left to it: that also keeps two batches from waiting for each other.
  return {
    noteApiKeys(ids, at) {
      note(ids, (fresh) =>
        foundation.database.transaction((transaction) =>
          transaction.rows(sql`
            update api_keys set last_used_at = ${at} where id in (
              select id from api_keys
              where id in (${sql.join(fresh)}) and (last_used_at is null or last_used_at < ${at})
              for update skip locked)`),
        ),
      );
    },
    noteSessions(ids, at) {
      note(ids, (fresh) =>
        foundation.database.transaction((transaction) =>
          transaction.rows(sql`
            update sessions set last_seen_at = ${at} where id in (
              select id from sessions where id in (${sql.join(fresh)}) and last_seen_at < ${at}
              for update skip locked)`),
        ),
      );
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(writes);
    },
  };
}
