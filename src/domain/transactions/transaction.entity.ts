import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';
import type {
  Address,
  ConfidentialEventType,
  EventPublicData,
  Signature,
} from '../../platform/ledger/index.js';

/** The auditor's ciphertext as the instruction holds it: two parts, each base64 of 64 bytes. */
export interface StoredCiphertexts {
  readonly auditor?: { readonly lo: string; readonly hi: string };
}

/** One confidential instruction as the indexer found it: public data and ciphertexts, never a decrypted amount. */
export const TransactionEntity = defineEntity({
  name: 'Transaction',
  tableName: 'transactions',
  properties: {
    id: p.text().primary().$type<Id<'txn'>>(),
    assetId: p.text().$type<Id<'ast'>>(),
    /** The id of the asset. */
    organizationId: p.text().$type<Id<'org'>>(),
    /** Its position in the asset's order of indexing: from 1, without gaps, in the order of commits. */
    position: p.bigint('number'),
    signature: p.text().$type<Signature>(),
    /** Index of the top-level instruction, the inner instruction, and the member of a batch. */
    path: p.array().columnType('integer[]').$type<number[]>(),
    type: p.text().$type<ConfidentialEventType>(),
    slot: p.bigint('number'),
    /** Unix seconds, as the ledger estimates them. */
    blockTime: p.bigint('number').nullable(),
    signer: p.text().$type<Address>(),
    sourceAccount: p.text().nullable().$type<Address | null>(),
    destinationAccount: p.text().nullable().$type<Address | null>(),
    publicData: p.json().$type<EventPublicData>(),
    ciphertexts: p.json().$type<StoredCiphertexts>(),
    indexedAt: p.datetime(3),
    /** The part of the table: 0, or the number of days since 1970 of the day before which its records were indexed. */
    part: p.integer().default(0),
  },
});

declare module '../../platform/database/query.js' {
  interface Tables {
    transactions: TableOf<typeof TransactionEntity>;
  }
}
