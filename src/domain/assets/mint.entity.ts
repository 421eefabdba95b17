import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';
import type { Address, Signature } from '../../platform/ledger/index.js';
import type { AssetStatus } from './asset-state.js';

/**
 * The mint of a bound asset: its registration with the indexer, its lease, and how far it is indexed. Several
 * organizations may bind one mint. Only the one whose auditor key the ledger shows is verified; it is indexed, and so is a
 * mint that is only observed.
 */
export const IndexedMintEntity = defineEntity({
  name: 'IndexedMint',
  tableName: 'indexed_mints',
  properties: {
    assetId: p.text().primary().$type<Id<'ast'>>(),
    mintAddress: p.text().$type<Address>(),
    status: p.text().$type<AssetStatus>(),
    reason: p.text().nullable(),
    recordCount: p.bigint('number').default(0),
    latestSlot: p.bigint('number').nullable(),
    latestBlockTime: p.bigint('number').nullable(),
    latestSignature: p.text().nullable(),
    lastIndexedAt: p.datetime(3).nullable(),
    checkpointSlot: p.bigint('number').nullable(),
    caughtUpAt: p.datetime(3).nullable(),
    failures: p.integer().default(0),
    nextAttemptAt: p.datetime(3),
    registeredAt: p.datetime(3).nullable(),
    /** Whether the ledger shows the organization's auditor key on the mint. */
    verified: p.boolean().default(false),
    /** The newest slot at which the ledger showed the key. It stays until everything up to the change of the key is indexed. */
    verifiedSlot: p.bigint('number').nullable(),
    /** Whether the mint is indexed even if it has another auditor key or none. Several organizations can observe a mint. */
    observed: p.boolean().default(false),
    leaseOwner: p.text().nullable(),
    leaseExpiresAt: p.datetime(3).nullable(),
    fencingToken: p.bigint('number').default(0),
  },
});

/** An address whose history is followed: a mint, its account, or an account that now belongs to another mint. */
export const FOLLOWED_KINDS = ['mint', 'token_account', 'former_account'] as const;
export type FollowedKind = (typeof FOLLOWED_KINDS)[number];

export const FollowedAddressEntity = defineEntity({
  name: 'FollowedAddress',
  tableName: 'followed_addresses',
  properties: {
    assetId: p.text().primary().$type<Id<'ast'>>(),
    address: p.text().primary().$type<Address>(),
    kind: p.text().$type<FollowedKind>(),
    frontierSignature: p.text().nullable().$type<Signature | null>(),
    frontierSlot: p.bigint('number').nullable(),
    oldestSignature: p.text().nullable().$type<Signature | null>(),
    originSeen: p.boolean().default(false),
    learnedAt: p.datetime(3),
  },
});

/** The auditor key of a mint from one of its records on. Null if the mint had no auditor from then on. */
export const MintAuditorKeyEntity = defineEntity({
  name: 'MintAuditorKey',
  tableName: 'mint_auditor_keys',
  properties: {
    assetId: p.text().primary().$type<Id<'ast'>>(),
    fromSlot: p.bigint('number'),
    signature: p.text().primary().$type<Signature>(),
    path: p.array().columnType('integer[]').primary().$type<number[]>(),
    publicKey: p.blob().nullable().$type<Uint8Array | null>(),
    /** The position of the change among the records of its slot. 0 for the first key of the mint. */
    position: p.bigint('number').default(0),
  },
});

declare module '../../platform/database/query.js' {
  interface Tables {
    indexed_mints: TableOf<typeof IndexedMintEntity>;
    followed_addresses: TableOf<typeof FollowedAddressEntity>;
    mint_auditor_keys: TableOf<typeof MintAuditorKeyEntity>;
  }
}
