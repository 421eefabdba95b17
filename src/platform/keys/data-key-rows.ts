import { query, type Reader, type RowOf, sql, columnsOf } from '../database/index.js';
import { DataKeyEntity, MasterKeyEntity } from './key-rows.entity.js';
import type { MasterKey } from './master-key.js';

/** The purpose of the original single data key. It seals for every purpose that has no newer key. */
export const EVERY_PURPOSE = '*';
/** The purpose of the key of digests, which never changes. */
export const DIGESTS = 'digests';

/** How often an instance on PostgreSQL checks for other keys. */
export const LOOK_SECONDS = 5;
/**
 * How long all instances have to learn about new data keys before any instance seals with them. An instance that could not
 * check for this long does not seal: its data keys may have been replaced.
 */
export const LEAD_SECONDS = 30;

export interface StoredDataKey extends Pick<
  RowOf<typeof DataKeyEntity>,
  'id' | 'purpose' | 'masterVersion' | 'firstMasterVersion' | 'wrappedKey'
> {
  /** The time until it seals; 0 or less if it does already. */
  readonly usableInMs: number;
}

/** Authenticated with each wrapped key, so that it cannot be used as another key or for another purpose. */
export const wrappingContext = ({ id, purpose }: { readonly id: number; readonly purpose: string }) =>
  `lucarne data key ${id} ${purpose}`;

/**
 * Every data key that is not destroyed, oldest first. The clock of the database, which all instances share, decides when each is
 * usable.
 */
export function readDataKeys(reader: Reader): Promise<StoredDataKey[]> {
  return reader.rows(
    query
      .selectFrom('data_keys')
      .select(
        columnsOf(DataKeyEntity, ['id', 'purpose', 'masterVersion', 'firstMasterVersion', 'wrappedKey']),
      )
      .select(sql<number>`(extract(epoch from usable_at - now()) * 1000)::float8`.as('usableInMs'))
      .where('destroyed_at', 'is', null)
      .orderBy('id'),
  );
}

/** The greatest id that the table can store. A sealed value can name a greater one. */
const MAX_ID = 2_147_483_647;

/** Those of `ids` that are destroyed data keys. */
export async function destroyedKeysAmong(
  reader: Reader,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  const possible = ids.filter((id) => id <= MAX_ID);
  if (possible.length === 0) return new Set();
  const rows = await reader.rows(
    query
      .selectFrom('data_keys')
      .select('id')
      .where('id', 'in', possible)
      .where('destroyed_at', 'is not', null),
  );
  return new Set(rows.map(({ id }) => id));
}

/** The master key in use; `undefined` before the first start. */
export async function readMasterVersion(reader: Reader): Promise<RowOf<typeof MasterKeyEntity> | undefined> {
  const [row] = await reader.rows(
    query.selectFrom('master_keys').select(columnsOf(MasterKeyEntity)).orderBy('version', 'desc').limit(1),
  );
  return row;
}

export interface NewDataKey {
  readonly id: number;
  readonly purpose: string;
  readonly wrappedKey: Uint8Array;
}

/** Wraps new keys, and wipes them. */
export async function wrapDataKeys(
  master: MasterKey,
  keys: readonly { readonly id: number; readonly purpose: string; readonly secret: Uint8Array }[],
): Promise<NewDataKey[]> {
  const wrapped: NewDataKey[] = [];
  try {
    for (const { id, purpose, secret } of keys)
      wrapped.push({ id, purpose, wrappedKey: await master.wrap(secret, wrappingContext({ id, purpose })) });
  } finally {
    for (const { secret } of keys) secret.fill(0);
  }
  return wrapped;
}

/** A statement that stores new data keys, usable after `leadSeconds`. */
export function insertDataKeys(keys: readonly NewDataKey[], masterVersion: number, leadSeconds = 0) {
  // Not the time when the transaction began: it may have waited for another operator.
  const usableAt = sql<Date>`date_trunc('milliseconds', clock_timestamp()) + make_interval(secs => ${leadSeconds}::integer)`;
  return query.insertInto('data_keys').values(
    keys.map(({ id, purpose, wrappedKey }) => ({
      ...{ id, purpose, master_version: masterVersion, first_master_version: masterVersion },
      ...{ wrapped_key: wrappedKey, created_at: sql<Date>`now()`, usable_at: usableAt },
    })),
  );
}
