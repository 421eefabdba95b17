import { query, takeTurn, type Transaction } from '../../database/index.js';
import { conflict } from '../../kernel/errors.js';

/** The keys for which a change was prepared: the version of the master key, and the data keys that are not destroyed. */
interface ExpectedKeys {
  readonly version: number;
  readonly dataKeys: readonly number[];
}

/**
 * Locks the keys for one change. A second operator waits here, and is refused if the first one changed the keys for which the
 * change was prepared: preparing asks a provider and holds no lock.
 */
export async function lockKeys(transaction: Transaction, expected: ExpectedKeys): Promise<void> {
  if (!(await lockKeysIfSame(transaction, expected))) throw keysChanged();
}

/** Locks the keys, and returns whether they are those for which the change was prepared. */
export async function lockKeysIfSame(transaction: Transaction, expected: ExpectedKeys): Promise<boolean> {
  await takeTurn(transaction, 'keys');
  // Read after the lock is acquired: the statement that waited for it sees the state from before.
  const versions = await transaction.rows(
    query.selectFrom('master_keys').select('version').orderBy('version'),
  );
  const keys = await transaction.rows(
    query.selectFrom('data_keys').select('id').where('destroyed_at', 'is', null).orderBy('id'),
  );
  return (
    versions.at(-1)?.version === expected.version &&
    keys.map(({ id }) => id).join() === expected.dataKeys.join()
  );
}

export const keysChanged = () =>
  conflict('Another operator changed the keys in the meantime. Nothing was done. Run the command again.');
