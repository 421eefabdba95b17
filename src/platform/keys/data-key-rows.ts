import { query, type Reader, type RowOf, sql, columnsOf } from '../database/index.js';
import { DataKeyEntity, MasterKeyEntity } from './key-rows.entity.js';
import type { MasterKey } from './master-key.js';

/** The purpose of the data key that was alone, and seals for every purpose that has no newer one. */
export const EVERY_PURPOSE = '*';
/** The purpose of the key of digests, which never changes. */
export const DIGESTS = 'digests';

/** How often an instance on PostgreSQL looks whether there are other keys. */
export const LOOK_SECONDS = 5;
/** How long every instance has to get to know new data keys before one seals with them. */
export const LEAD_SECONDS = 30;

export interface StoredDataKey extends Pick<
  RowOf<typeof DataKeyEntity>,
  'id' | 'purpose' | 'masterVersion' | 'firstMasterVersion' | 'wrappedKey'
> {
  readonly isUsable: boolean;
}

/** Authenticated with each wrapped key: it opens as no other, and for no other purpose. */
export const wrappingContext = ({ id, purpose }: { readonly id: number; readonly purpose: string }) =>
  `lucarne data key ${id} ${purpose}`;

/** Every data key that is not destroyed, oldest first. The database's clock, which all share, says what is usable. */
export function readDataKeys(reader: Reader): Promise<StoredDataKey[]> {
  return reader.rows(
    query
      .selectFrom('data_keys')
      .select(
        columnsOf(DataKeyEntity, ['id', 'purpose', 'masterVersion', 'firstMasterVersion', 'wrappedKey']),
      )
      .select(sql<boolean>`usable_at <= now()`.as('isUsable'))
      .where('destroyed_at', 'is', null)
      .orderBy('id'),
  );
}

/** The greatest id that the table can hold. What a value names can be greater. */
const MAX_ID = 2_147_483_647;

/** Those of `ids` that were data keys once, and are destroyed. */
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

/** Wraps new keys. They are wiped. */
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
  const usableAt = sql<Date>`date_trunc('milliseconds', now()) + make_interval(secs => ${leadSeconds}::integer)`;
  return query.insertInto('data_keys').values(
    keys.map(({ id, purpose, wrappedKey }) => ({
      ...{ id, purpose, master_version: masterVersion, first_master_version: masterVersion },
      ...{ wrapped_key: wrappedKey, created_at: sql<Date>`now()`, usable_at: usableAt },
    })),
  );
}
