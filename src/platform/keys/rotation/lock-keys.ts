import { query, takeTurn, type Transaction } from '../../database/index.js';
import { conflict } from '../../kernel/errors.js';

/** What a change was prepared for: the version of the master key, and the data keys that are not destroyed. */
interface ExpectedKeys {
  readonly version: number;
  readonly dataKeys: readonly number[];
}

/**
 * Locks the keys for one change: a second operator waits here, and is refused where the first changed what the change was
 * prepared for, as preparing asks a provider and holds no lock.
 */
export async function lockKeys(transaction: Transaction, expected: ExpectedKeys): Promise<void> {
  if (!(await lockKeysIfSame(transaction, expected))) throw keysChanged();
}

/** The same, and whether they are what the change was prepared for. */
export async function lockKeysIfSame(transaction: Transaction, expected: ExpectedKeys): Promise<boolean> {
  await takeTurn(transaction, 'keys');
  // Read when the lock is held: the statement that waited for it sees what was there when it began.
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
