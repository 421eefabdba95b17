import { query, type Transaction } from '../../../platform/database/index.js';

/** Longer than the lifetime of any one-time value. */
const RETENTION_MS = 20 * 60_000;
const SWEEP_BATCH = 100;

/** Marks a one-time value as used, by its hash. Returns whether it was unused. Also removes some old values. */
export async function useOnce(transaction: Transaction, hash: Uint8Array, at: Date): Promise<boolean> {
  await transaction.rows(
    query.deleteFrom('used_sign_in_attempts').where('state_hash', 'in', (attempts) =>
      attempts
        .selectFrom('used_sign_in_attempts')
        .select('state_hash')
        .where('used_at', '<=', new Date(at.getTime() - RETENTION_MS))
        .limit(SWEEP_BATCH)
        .forUpdate()
        .skipLocked(),
    ),
  );
  const used = await transaction.rows(
    query
      .insertInto('used_sign_in_attempts')
      .values({ state_hash: hash, used_at: at })
      .onConflict((attempt) => attempt.doNothing())
      .returning('used_at'),
  );
  return used.length > 0;
}
