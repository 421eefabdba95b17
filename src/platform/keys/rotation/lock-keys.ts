import { query, type Transaction } from '../../database/index.js';
import { conflict } from '../../kernel/errors.js';

/**
 * Locks the keys for one change: a second operator waits here, and is refused where the first changed what the change was
 * prepared for, as preparing asks a provider and holds no lock.
 */
export async function lockKeys(
  transaction: Transaction,
  expected: { readonly version: number; readonly dataKeys: readonly number[] },
): Promise<void> {
  await transaction.rows(
    query.selectFrom('master_keys').select('version').where('version', '=', 1).forUpdate(),
  );
  // Read when the lock is held: the statement that waited for it sees what was there when it began.
  const versions = await transaction.rows(
    query.selectFrom('master_keys').select('version').orderBy('version'),
  );
  const keys = await transaction.rows(
    query.selectFrom('data_keys').select('id').where('destroyed_at', 'is', null).orderBy('id'),
  );
  const isSame =
    versions.at(-1)?.version === expected.version &&
    keys.map(({ id }) => id).join() === expected.dataKeys.join();
  if (!isSame) throw keysChanged();
}

export const keysChanged = () =>
  conflict('Another operator changed the keys meanwhile. Nothing was done. Run the command again.');
