import type { Sealer } from '../../../platform/crypto/index.js';
import {
  type Database,
  query,
  type Reader,
  readSetting,
  storeSetting,
} from '../../../platform/database/index.js';

/** Precedes a hash of a password that is keyed. */
const MARK = 'keyed';
/** Stored once all processes can compare keyed hashes, and from the start in a new database (migration 0068). */
const SETTING = 'keyed_password_hashes';
const BATCH_SIZE = 500;

export const isKeyed = (stored: string): boolean => stored.startsWith(MARK);

/** Everything in a hash except its bytes: how it was computed, and its salt. */
export const parametersOf = (hash: string): string =>
  hash.slice(isKeyed(hash) ? MARK.length : 0, hash.lastIndexOf('$'));

/**
 * Replaces the bytes of a hash (PHC string) with a digest of the whole hash under the key of digests. With a copy of the database
 * alone, nobody can test guesses of the password.
 */
export function keyed(sealer: Sealer, hash: string): string {
  const digest = Buffer.from(sealer.digest(hash, 'accounts/password_hash'))
    .toString('base64')
    .replace(/=+$/, '');
  return `${MARK}${parametersOf(hash)}$${digest}`;
}

/** The texts that can store a hash by the time a transaction reads it again: `reseal` may replace it with its keyed form. */
export const formsOf = (sealer: Sealer, stored: string | null): (string | null)[] =>
  stored === null || isKeyed(stored) ? [stored] : [stored, keyed(sealer, stored)];

/** The form in which a new hash is stored. Processes of the version before keyed hashes cannot compare keyed ones. */
export async function storedForm(reader: Reader, sealer: Sealer, hash: string): Promise<string> {
  return (await readSetting(reader, SETTING)) === undefined ? hash : keyed(sealer, hash);
}

const inClear = () =>
  query
    .selectFrom('accounts')
    .select(['id', 'password_hash as hash'])
    .where('password_hash', 'is not', null)
    .where('password_hash', 'not like', `${MARK}%`);

/**
 * Keys the hashes that an earlier version stored, batch by batch, and from now on every new one. Two instances may run it
 * concurrently.
 */
export async function keyPasswordHashes(database: Database, sealer: Sealer): Promise<void> {
  await storeSetting(database, SETTING, true);
  for (;;) {
    const accounts = await database.rows(inClear().orderBy('id').limit(BATCH_SIZE));
    for (const { id, hash } of accounts)
      await database.rows(
        query
          .updateTable('accounts')
          .set({ password_hash: keyed(sealer, hash!) })
          .where('id', '=', id)
          .where('password_hash', '=', hash),
      );
    if (accounts.length < BATCH_SIZE) return;
  }
}

/** Whether hashes of an earlier version are not keyed. */
export async function hasPasswordHashesInClear(reader: Reader): Promise<boolean> {
  return (await reader.rows(inClear().limit(1))).length > 0;
}
