import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../database/index.js';
import type { Provider } from './master-key.js';

/** One version of the key that wraps the data keys. The newest is in use. */
export const MasterKeyEntity = defineEntity({
  name: 'MasterKey',
  tableName: 'master_keys',
  properties: {
    version: p.integer().primary(),
    provider: p.text().$type<Provider>(),
    locator: p.text(),
    createdAt: p.datetime(3),
    retiredAt: p.datetime(3).nullable(),
  },
});

/** A key that seals values of one purpose, wrapped by a master key. The newest of its purpose that is usable seals. */
export const DataKeyEntity = defineEntity({
  name: 'DataKey',
  tableName: 'data_keys',
  properties: {
    id: p.integer().primary(),
    purpose: p.text(),
    /** The version that wraps it. */
    masterVersion: p.integer(),
    /** The version that wrapped it first: an old backup and that master key give the data key. */
    firstMasterVersion: p.integer(),
    /** Null when it is destroyed: what it sealed can never be opened again. */
    wrappedKey: p.blob().nullable().$type<Uint8Array | null>(),
    createdAt: p.datetime(3),
    /** From when it seals. Until then, every instance gets to know it. */
    usableAt: p.datetime(3),
    destroyedAt: p.datetime(3).nullable(),
  },
});

/** How far the values of one table are sealed again, so that it can be resumed after a stop. */
export const ResealingEntity = defineEntity({
  name: 'Resealing',
  tableName: 'resealing',
  properties: {
    purpose: p.text().primary(),
    /** The primary key of the last row that was looked at. */
    reached: p.json().nullable().$type<readonly (string | number)[] | null>(),
    valuesLeft: p.integer(),
    finishedAt: p.datetime(3).nullable(),
  },
});

export const keyEntities = [MasterKeyEntity, DataKeyEntity, ResealingEntity] as const;

declare module '../database/query.js' {
  interface Tables {
    master_keys: TableOf<typeof MasterKeyEntity>;
    data_keys: TableOf<typeof DataKeyEntity>;
    resealing: TableOf<typeof ResealingEntity>;
  }
}
