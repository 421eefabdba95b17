import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../platform/database/index.js';
import type { Address } from '../../platform/ledger/index.js';
import type { Id } from '../../platform/kernel/ids.js';
import type { AssetStatus } from './asset-state.js';

/** The records of an asset in a part that is in cold storage. */
export interface ArchivedRecords {
  /** The day before which the records of the part were indexed. */
  readonly before: string;
  /** Positions. */
  readonly first: number;
  readonly last: number;
  /** Block times, in Unix seconds; null if no record has one. */
  readonly earliest: number | null;
  readonly latest: number | null;
  /** Times of indexing. */
  readonly from: string;
  readonly to: string;
}

export const AssetEntity = defineEntity({
  name: 'Asset',
  tableName: 'assets',
  properties: {
    id: p.text().primary().$type<Id<'ast'>>(),
    organizationId: p.text().$type<Id<'org'>>(),
    applicationId: p.text().nullable().$type<Id<'app'> | null>(),
    workspaceId: p.text().nullable(),
    name: p.text(),
    symbol: p.text(),
    decimals: p.integer(),
    creatorAuthority: p.text().nullable(),
    /** The auditor key at registration, and its epoch. */
    auditorPublicKey: p.blob().$type<Uint8Array>(),
    auditorKeyEpoch: p.integer(),
    mintAddress: p.text().nullable().$type<Address | null>(),
    deploymentSignature: p.text().nullable(),
    deploymentStatus: p.text().nullable(),
    disclosurePolicyId: p.text().nullable(),
    confidentialMintBurnEnabled: p.boolean(),
    status: p.text().$type<AssetStatus>(),
    /** The newest slot of its records in parts of old records. */
    movedSlot: p.bigint('number').nullable(),
    /** Its records in cold storage, by part. */
    archived: p.json().nullable().$type<readonly ArchivedRecords[] | null>(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

export const AuditorKeyEntity = defineEntity({
  name: 'AuditorKey',
  tableName: 'auditor_keys',
  properties: {
    organizationId: p.text().primary().$type<Id<'org'>>(),
    epoch: p.integer().primary(),
    publicKey: p.blob().$type<Uint8Array>(),
    sealedSecret: p.blob().$type<Uint8Array>(),
    createdAt: p.datetime(3),
    /** The key was created elsewhere. It decrypts what was encrypted to it, but no asset shows it. */
    imported: p.boolean().default(false),
  },
});

declare module '../../platform/database/query.js' {
  interface Tables {
    assets: TableOf<typeof AssetEntity>;
    auditor_keys: TableOf<typeof AuditorKeyEntity>;
  }
}
