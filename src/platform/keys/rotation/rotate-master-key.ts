import { type Database, query, sql } from '../../database/index.js';
import { conflict } from '../../kernel/errors.js';
import { DIGESTS, readDataKeys, readMasterVersion, wrappingContext } from '../data-key-rows.js';
import type { KeyUri } from '../key-uri.js';
import type { MasterKeys, Provider } from '../master-key.js';
import { keysChanged, lockKeys } from './lock-keys.js';

interface Rotation {
  readonly version: number;
  readonly provider: Provider;
  readonly locator: string;
  /** Number of data keys that it now wraps. */
  readonly dataKeys: number;
  /** Versions before the previous one that first wrapped some of them and were not retired. */
  readonly notRetired: readonly number[];
}

/**
 * Wraps every data key with a new master key, in one transaction. Sealed values stay as they are, and running instances
 * continue with the data keys in memory. `to` names the new key. Without it, a key of the configured file is used.
 *
 * If it is interrupted at any instant, it has either rotated or not. A new key that already exists at its provider is used by
 * the next call.
 */
export async function rotateMasterKey(
  { database, masterKeys }: { readonly database: Database; readonly masterKeys: MasterKeys },
  to?: KeyUri,
): Promise<Rotation> {
  const current = await readMasterVersion(database);
  if (!current) throw conflict('The database has no master key yet. Start the gateway once.');
  const stored = await readDataKeys(database);
  // Another operator may have wrapped them with a new key between the two reads.
  if (stored.some(({ masterVersion }) => masterVersion !== current.version)) throw keysChanged();
  const known = await database.rows(query.selectFrom('master_keys').select('locator'));
  const old = await masterKeys.find(current.provider, current.locator);
  const next = await masterKeys.next(new Set(known.map(({ locator }) => locator)), to);
  const rewrapped: { readonly id: number; readonly wrapped: Uint8Array }[] = [];
  for (const { id, purpose, wrappedKey } of stored) {
    const context = wrappingContext({ id, purpose });
    const secret = await old.unwrap(wrappedKey!, context);
    let opened: Uint8Array | undefined;
    try {
      const wrapped = await next.wrap(secret, context);
      // A provider that cannot unwrap what it wrapped must not be the only one that has the key.
      opened = await next.unwrap(wrapped, context);
      if (Buffer.compare(opened, secret) !== 0)
        throw new Error('The new master key does not unwrap what it wrapped.');
      rewrapped.push({ id, wrapped });
    } finally {
      secret.fill(0);
      opened?.fill(0);
    }
  }
  const version = current.version + 1;
  const { provider, locator } = next;
  await database.transaction(async (transaction) => {
    await lockKeys(transaction, { version: current.version, dataKeys: stored.map(({ id }) => id) });
    await transaction.rows(
      query.insertInto('master_keys').values({ version, provider, locator, created_at: sql<Date>`now()` }),
    );
    for (const { id, wrapped } of rewrapped)
      await transaction.rows(
        query
          .updateTable('data_keys')
          .set({ master_version: version, wrapped_key: wrapped })
          .where('id', '=', id),
      );
  });
  const firstVersions = stored
    .filter(({ purpose }) => purpose !== DIGESTS)
    .map(({ firstMasterVersion }) => firstMasterVersion);
  const notRetired = [...new Set(firstVersions)].filter((first) => first < current.version);
  return { version, provider, locator, dataKeys: rewrapped.length, notRetired };
}
