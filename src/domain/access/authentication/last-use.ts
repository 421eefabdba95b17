import { acrossOrganizations, query, type Foundation } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';

/** A last use is written again only when it is this old. A busy key costs one write a minute, not one per request. */
const LAST_USE_INTERVAL_MS = 60_000;

/** Writes last uses after the requests that caused them: a request neither waits for the write nor fails with it. */
export interface LastUses extends AsyncDisposable {
  noteApiKeys(ids: readonly Id<'key'>[], at: Date): void;
  noteSessions(ids: readonly Id<'ses'>[], at: Date): void;
}

export function isLastUseDue(lastUse: Date | null, at: Date): boolean {
  return lastUse === null || at.getTime() - lastUse.getTime() >= LAST_USE_INTERVAL_MS;
}

export const noLastUses: LastUses = {
  noteApiKeys: () => undefined,
  noteSessions: () => undefined,
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

export function createLastUses(foundation: Foundation): LastUses {
  const beingWritten = new Set<string>();
  const writes = new Set<Promise<void>>();

  const note = <Noted extends Id>(
    ids: readonly Noted[],
    write: (fresh: readonly Noted[]) => Promise<unknown>,
  ) => {
    const fresh = [...new Set(ids)].filter((id) => !beingWritten.has(id));
    if (fresh.length === 0) return;
    for (const id of fresh) beingWritten.add(id);
    // One statement writes the keys and sessions of many callers.
    const writing = acrossOrganizations(() => write(fresh))
      .then(
        () => undefined,
        (thrown: unknown) =>
          foundation.log.warn({ err: thrown }, 'Recording the last use of keys and sessions failed.'),
      )
      .finally(() => {
        for (const id of fresh) beingWritten.delete(id);
        writes.delete(writing);
      });
    writes.add(writing);
  };

  // Rows that another instance is writing are skipped, so that two batches never wait for each other.
  return {
    noteApiKeys(ids, at) {
      note(ids, (fresh) =>
        foundation.database.transaction((transaction) =>
          transaction.rows(
            query
              .updateTable('api_keys')
              .set({ last_used_at: at })
              .where('id', 'in', (keys) =>
                keys
                  .selectFrom('api_keys')
                  .select('id')
                  .where('id', 'in', fresh)
                  .where((key) => key.or([key('last_used_at', 'is', null), key('last_used_at', '<', at)]))
                  .forUpdate()
                  .skipLocked(),
              ),
          ),
        ),
      );
    },
    noteSessions(ids, at) {
      note(ids, (fresh) =>
        foundation.database.transaction((transaction) =>
          transaction.rows(
            query
              .updateTable('sessions')
              .set({ last_seen_at: at })
              .where('id', 'in', (sessions) =>
                sessions
                  .selectFrom('sessions')
                  .select('id')
                  .where('id', 'in', fresh)
                  .where('last_seen_at', '<', at)
                  .forUpdate()
                  .skipLocked(),
              ),
          ),
        ),
      );
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(writes);
    },
  };
}
