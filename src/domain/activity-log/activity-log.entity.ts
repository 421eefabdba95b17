import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';
import type { JsonObject } from '../../platform/kernel/encoding/json.js';
import type { EventType } from './event-types.js';
import type { Salts } from './personal-values.js';

/**
 * One completed action. `entry` is the leaf of the Merkle log, with personal values replaced by salted digests. `salts`
 * opens them and can be erased.
 */
export const ActivityEntryEntity = defineEntity({
  name: 'ActivityEntry',
  tableName: 'activity_entries',
  properties: {
    id: p.text().primary().$type<Id<'log'>>(),
    /** The order of writing, with gaps. */
    sequence: p.bigint('number').autoincrement(),
    organizationId: p.text().$type<Id<'org'>>(),
    applicationId: p.text().nullable().$type<Id<'app'> | null>(),
    caseId: p.text().nullable().$type<Id<'cas'> | null>(),
    eventType: p.text().$type<EventType>(),
    actorId: p.text(),
    /** The id of the entry's object, which the database takes from the entry. Null if the object has none. */
    objectId: p.text().nullable(),
    entry: p.json().$type<JsonObject>(),
    salts: p.json().$type<Salts>(),
    leafHash: p.blob().$type<Uint8Array>(),
    /** Index in the organization's log; null until the entry is sequenced. */
    logIndex: p.bigint('number').nullable(),
    createdAt: p.datetime(3),
  },
});

/** An organization's log. A sequencer locks its row. */
export const ActivityLogEntity = defineEntity({
  name: 'ActivityLog',
  tableName: 'activity_logs',
  properties: {
    organizationId: p.text().primary().$type<Id<'org'>>(),
    /** The permanent name of the log, even if the public host changes. */
    origin: p.text(),
    createdAt: p.datetime(3),
    /** Held while a store signs the log, so that no other process appends to it. */
    leaseOwner: p.text().nullable(),
    leaseExpiresAt: p.datetime(3).nullable(),
    fencingToken: p.bigint('number').default(0),
  },
});

/** A signed tree head. The primary key prevents a second root for one size. */
export const LogCheckpointEntity = defineEntity({
  name: 'LogCheckpoint',
  tableName: 'log_checkpoints',
  properties: {
    organizationId: p.text().primary().$type<Id<'org'>>(),
    size: p.bigint('number').primary(),
    /** 32 bytes. */
    root: p.blob().$type<Uint8Array>(),
    /** The C2SP signed note. */
    note: p.text(),
    /** The epoch of the key that was in use. */
    signingKeyEpoch: p.integer().default(1),
    signedAt: p.datetime(3),
  },
});

/** Up to 256 hashes of 32 bytes (C2SP tlog-tiles). A tile only grows. */
export const LogTileEntity = defineEntity({
  name: 'LogTile',
  tableName: 'log_tiles',
  properties: {
    organizationId: p.text().primary().$type<Id<'org'>>(),
    level: p.smallint().primary(),
    tileIndex: p.bigint('number').primary(),
    hashes: p.blob().$type<Uint8Array>(),
  },
});

/** An Ed25519 key with which an organization signs its log and its receipts. The newest epoch is in use. */
export const SigningKeyEntity = defineEntity({
  name: 'SigningKey',
  tableName: 'signing_keys',
  properties: {
    organizationId: p.text().primary().$type<Id<'org'>>(),
    epoch: p.integer().primary().default(1),
    publicKey: p.blob().$type<Uint8Array>(),
    /** Null if it was destroyed because the key signs nothing anymore, and for a key in a store. */
    sealedSecret: p.blob().nullable().$type<Uint8Array | null>(),
    /** The key and its store, such as `vault:transit/log`. Null for a key that is sealed in the database. */
    storeKey: p.text().nullable(),
    createdAt: p.datetime(3),
    /** Until then a replaced key also signs checkpoints. Null for the key in use. */
    cosignsUntil: p.datetime(3).nullable(),
    /** Do not trust entries from this index on that only this key signed. */
    compromisedFrom: p.bigint('number').nullable(),
  },
});

/** An erasure of a former member that was decided and has not ended. */
export const ErasureEntity = defineEntity({
  name: 'Erasure',
  tableName: 'erasures',
  properties: {
    organizationId: p.text().primary().$type<Id<'org'>>(),
    userId: p.text().primary().$type<Id<'usr'>>(),
    /** Who decided it: a user, the operator or the gateway. */
    decidedBy: p.text(),
    decidedAt: p.datetime(3),
    /** The entries below this index are done. */
    doneBelow: p.bigint('number').default(0),
    /** What was erased so far. */
    entries: p.integer().default(0),
    values: p.integer().default(0),
    leaseOwner: p.text().nullable(),
    leaseExpiresAt: p.datetime(3).nullable(),
  },
});

declare module '../../platform/database/query.js' {
  interface Tables {
    erasures: TableOf<typeof ErasureEntity>;
    activity_entries: TableOf<typeof ActivityEntryEntity>;
    activity_logs: TableOf<typeof ActivityLogEntity>;
    log_checkpoints: TableOf<typeof LogCheckpointEntity>;
    log_tiles: TableOf<typeof LogTileEntity>;
    signing_keys: TableOf<typeof SigningKeyEntity>;
  }
}
