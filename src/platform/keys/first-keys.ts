import { createEnvelopeSealer, DATA_KEY_LENGTH } from '../crypto/index.js';
import { type Database, jsonb, query, readSetting, sql } from '../database/index.js';
import { base64 } from '../kernel/encoding/bytes.js';
import { unavailable } from '../kernel/errors.js';
import type { Random } from '../kernel/random.js';
import {
  DIGESTS,
  EVERY_PURPOSE,
  insertDataKeys,
  readDataKeys,
  readMasterVersion,
  wrapDataKeys,
} from './data-key-rows.js';
import { type FileMasterKey, type MasterKey, type MasterKeys, WrongMasterKey } from './master-key.js';
import { lockKeysIfSame } from './rotation/lock-keys.js';
import { attempt } from '../kernel/encoding/attempt.js';

export interface FirstKeysOptions {
  readonly database: Database;
  readonly masterKeys: MasterKeys;
  /** The purposes of sealed values: the beginnings of the contexts of seals. */
  readonly purposes: readonly string[];
  readonly random: Random;
}

/** A text that earlier versions sealed with the master key itself at the first start, before data keys existed. */
const CHECK = 'master_key_check';
/** The value of the check if the database has data keys from the start, so that an older version does not start on it. */
const IN_DATA_KEYS = 'data keys';
/** Only a concurrent change of the keys causes another attempt. */
const MAX_ATTEMPTS = 10;

/**
 * Creates the data keys that the database lacks: all at the first start, and later those of new purposes. Values from before
 * data keys existed were sealed with a key derived from the master key, which becomes the first data key.
 *
 * @throws {WrongMasterKey} if another master key sealed the existing values. Nothing is changed.
 */
export async function makeFirstKeys(options: FirstKeysOptions): Promise<void> {
  const { database } = options;
  const master = await readMasterVersion(database);
  if (master) return makeMissingKeys(options);
  const check = await readSetting(database, CHECK);
  const sealedBefore = check !== undefined && check !== IN_DATA_KEYS;
  await (sealedBefore ? adoptFirstKey(options, check) : makeAllKeys(options));
}

async function makeAllKeys({ database, masterKeys, purposes, random }: FirstKeysOptions): Promise<void> {
  const master = await masterKeys.first();
  // The number 1 is reserved for the key of values that do not name their key.
  const keys = [DIGESTS, ...purposes].map((purpose, index) => ({
    ...{ id: index + 2, purpose },
    secret: random(DATA_KEY_LENGTH),
  }));
  await storeFirst(database, master, await wrapDataKeys(master, keys));
}

async function adoptFirstKey({ database, masterKeys }: FirstKeysOptions, check: unknown): Promise<void> {
  const sealed = typeof check === 'string' ? base64.decode(check) : undefined;
  const master = (await masterKeys.ofFiles()).find((key) => opens(key, sealed ?? new Uint8Array()));
  if (!master)
    throw new WrongMasterKey(
      'The master key does not open this database: it was sealed with another one. Nothing was changed. ' +
        'Set LUCARNE_MASTER_KEY or LUCARNE_MASTER_KEY_FILE to the key that this database was first started with.',
    );
  const secret = () => Uint8Array.from(master.firstDataKey.secret);
  const keys = [
    { id: master.firstDataKey.id, purpose: EVERY_PURPOSE, secret: secret() },
    { id: master.firstDataKey.id + 1, purpose: DIGESTS, secret: secret() },
  ];
  await storeFirst(database, master, await wrapDataKeys(master, keys));
}

function opens({ firstDataKey: key }: FileMasterKey, sealed: Uint8Array): boolean {
  const only = { sealing: () => key, opening: () => key, digesting: () => key.secret };
  return attempt(() => createEnvelopeSealer(only).open(sealed, CHECK)) !== undefined;
}

/**
 * If several first starts run at the same time, one stores its keys. The others read those, and check whether they can open
 * them.
 */
async function storeFirst(
  database: Database,
  { provider, locator }: MasterKey,
  keys: Awaited<ReturnType<typeof wrapDataKeys>>,
): Promise<void> {
  await database.transaction(async (transaction) => {
    const stored = await transaction.rows(
      query
        .insertInto('master_keys')
        .values({ version: 1, provider, locator, created_at: sql<Date>`now()` })
        .onConflict((conflict) => conflict.doNothing())
        .returning('version'),
    );
    if (stored.length === 0) return;
    await transaction.rows(insertDataKeys(keys, 1));
    await transaction.rows(
      query
        .insertInto('settings')
        .values({ name: CHECK, value: jsonb(IN_DATA_KEYS) })
        .onConflict((conflict) => conflict.doNothing()),
    );
  });
}

async function makeMissingKeys(options: FirstKeysOptions): Promise<void> {
  for (let attempts = 1; attempts <= MAX_ATTEMPTS; attempts += 1) if (await storeMissingKeys(options)) return;
  throw unavailable('The keys of the database are being changed. Start again in a few seconds.');
}

/**
 * Returns false if an operator or another starting instance changed the keys meanwhile: a key that is wrapped by the previous
 * master key, or has the number of another key, would be useless.
 */
async function storeMissingKeys(options: FirstKeysOptions): Promise<boolean> {
  const { database, masterKeys, purposes, random } = options;
  const stored = await readDataKeys(database);
  const known = new Set(stored.map(({ purpose }) => purpose));
  const missing = known.has(EVERY_PURPOSE) ? [] : purposes.filter((purpose) => !known.has(purpose));
  const current = await readMasterVersion(database);
  if (missing.length === 0 || !current) return true;
  const { version } = current;
  const dataKeys = stored.map(({ id }) => id);
  const master = await masterKeys.find(current.provider, current.locator);
  const next = Math.max(...dataKeys) + 1;
  const keys = missing.map((purpose, index) => ({
    ...{ id: next + index, purpose },
    secret: random(DATA_KEY_LENGTH),
  }));
  const wrapped = await wrapDataKeys(master, keys);
  return database.transaction(async (transaction) => {
    if (!(await lockKeysIfSame(transaction, { version, dataKeys }))) return false;
    await transaction.rows(insertDataKeys(wrapped, version));
    return true;
  });
}
