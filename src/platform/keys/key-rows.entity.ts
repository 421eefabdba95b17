import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../database/index.js';
import type { Provider } from './master-key.js';

/** One version of the key that wraps the data keys. The newest version is in use. */
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

/** A key that seals values of one purpose, wrapped by a master key. The newest usable key of a purpose seals. */
export const DataKeyEntity = defineEntity({
  name: 'DataKey',
  tableName: 'data_keys',
  properties: {
    id: p.integer().primary(),
    purpose: p.text(),
    /** The version that wraps it now. */
    masterVersion: p.integer(),
    /** The version that wrapped it first: with an old backup and that master key, the data key can be recovered. */
    firstMasterVersion: p.integer(),
    /** Null if it is destroyed. The values that it sealed can never be opened again. */
    wrappedKey: p.blob().nullable().$type<Uint8Array | null>(),
    createdAt: p.datetime(3),
    /** When it begins to seal. Until then, every instance learns about it. */
    usableAt: p.datetime(3),
    destroyedAt: p.datetime(3).nullable(),
  },
});

/** The progress of resealing the values of one table, so that it can resume after a stop. */
export const ResealingEntity = defineEntity({
  name: 'Resealing',
  tableName: 'resealing',
  properties: {
    purpose: p.text().primary(),
    /** The primary key of the last processed row. */
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
