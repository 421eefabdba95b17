import { defineEntity, p } from '@mikro-orm/core';
import type { Id } from '../kernel/ids.js';
import type { JsonObject } from '../kernel/json.js';
import type { Address, Signature } from '../ledger/index.js';
import type { RelayReason, RelayStatus } from './relay-state.js';

export const RelayRequestEntity = defineEntity({
  name: 'RelayRequest',
  tableName: 'relay_requests',
  properties: {
    id: p.text().primary().$type<Id<'rly'>>(),
    poolSelector: p.text(),
    programId: p.text().$type<Address>(),
    packageDigest: p.blob().$type<Uint8Array>(),
    sealedPackage: p.blob().nullable().$type<Uint8Array | null>(),
    status: p.text().$type<RelayStatus>(),
    reason: p.text().nullable().$type<RelayReason | null>(),
    sequence: p.integer(),
    attemptNumber: p.integer().nullable(),
    failedLooks: p.integer(),
    nextLookAt: p.datetime(3).nullable(),
    leaseOwner: p.text().nullable(),
    leaseExpiresAt: p.datetime(3).nullable(),
    fencingToken: p.integer(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

export const RelayNullifierEntity = defineEntity({
  name: 'RelayNullifier',
  tableName: 'relay_nullifiers',
  properties: {
    programId: p.text().primary().$type<Address>(),
    nullifier: p.blob().primary().$type<Uint8Array>(),
    requestId: p.text().$type<Id<'rly'>>(),
  },
});

export const RelayOrganizationEntity = defineEntity({
  name: 'RelayOrganization',
  tableName: 'relay_organizations',
  properties: {
    organizationId: p.text().primary().$type<Id<'org'>>(),
    requestId: p.text().primary().$type<Id<'rly'>>(),
  },
});

export const RelayAttemptEntity = defineEntity({
  name: 'RelayAttempt',
  tableName: 'relay_attempts',
  properties: {
    requestId: p.text().primary().$type<Id<'rly'>>(),
    number: p.integer().primary(),
    signature: p.text().$type<Signature>(),
    messageSha256: p.blob().$type<Uint8Array>(),
    transaction: p.blob().$type<Uint8Array>(),
    blockhash: p.text(),
    lastValidBlockHeight: p.bigint('number'),
    contextSlot: p.bigint('number'),
    computeUnits: p.integer(),
    feeLamports: p.bigint('number'),
    createdAt: p.datetime(3),
    outcome: p.text().nullable().$type<AttemptOutcome | null>(),
    evidence: p.json().nullable().$type<JsonObject | null>(),
    concludedAt: p.datetime(3).nullable(),
  },
});

/** The database refuses to change or delete a row. */
export const RelayEventEntity = defineEntity({
  name: 'RelayEvent',
  tableName: 'relay_events',
  properties: {
    requestId: p.text().primary().$type<Id<'rly'>>(),
    sequence: p.integer().primary(),
    status: p.text().$type<RelayStatus>(),
    reason: p.text().nullable().$type<RelayReason | null>(),
    attemptNumber: p.integer().nullable(),
    signature: p.text().nullable().$type<Signature | null>(),
    evidence: p.json().$type<JsonObject>(),
    createdAt: p.datetime(3),
  },
});

/** The database refuses to change or delete a row. */
export const RelayReceiptEntity = defineEntity({
  name: 'RelayReceipt',
  tableName: 'relay_receipts',
  properties: {
    id: p.text().primary().$type<Id<'rcp'>>(),
    organizationId: p.text().$type<Id<'org'>>(),
    requestId: p.text().$type<Id<'rly'>>(),
    sequence: p.integer(),
    body: p.json().$type<JsonObject>(),
    signature: p.blob().$type<Uint8Array>(),
    createdAt: p.datetime(3),
  },
});

/**
 * What finalized state says of a signature: it landed and did what it says, it landed and failed, or it is proven that
 * it can never land.
 */
export type AttemptOutcome = 'landed' | 'failed' | 'dead';
