import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';
import type { JsonObject } from '../../platform/kernel/encoding/json.js';
import type { Address, Signature } from '../../platform/ledger/index.js';
import type { Wait } from './waits.js';
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
    /** A keyed digest of the submitter's network. */
    clientHash: p.blob().nullable().$type<Uint8Array | null>(),
    status: p.text().$type<RelayStatus>(),
    reason: p.text().nullable().$type<RelayReason | null>(),
    sequence: p.integer(),
    attemptNumber: p.integer().nullable(),
    failedLooks: p.integer(),
    waitingFor: p.text().nullable().$type<Wait | null>(),
    /** The evidence of the last look that did not end the request, by provider. */
    lastLook: p.json().nullable().$type<JsonObject | null>(),
    lastLookAt: p.datetime(3).nullable(),
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
    /** Copied from the request's `createdAt`, for the order of an organization's list. */
    acceptedAt: p.datetime(3),
    /** Copied from the request, for the filters of the list. */
    poolSelector: p.text(),
    status: p.text().$type<RelayStatus>(),
  },
});

/** The applications of {@link RelayOrganizationEntity} that the package names. */
export const RelayApplicationEntity = defineEntity({
  name: 'RelayApplication',
  tableName: 'relay_applications',
  properties: {
    applicationId: p.text().primary().$type<Id<'app'>>(),
    requestId: p.text().primary().$type<Id<'rly'>>(),
    organizationId: p.text().$type<Id<'org'>>(),
    /** Copied from the request's `createdAt`, for the order of an application's list. */
    acceptedAt: p.datetime(3),
  },
});

/** The database refuses to change or delete a row. */
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
  },
});

/** What finalized state proves about an attempt. The database refuses to change or delete a row. The newest row counts. */
export const RelayConclusionEntity = defineEntity({
  name: 'RelayConclusion',
  tableName: 'relay_conclusions',
  properties: {
    requestId: p.text().primary().$type<Id<'rly'>>(),
    number: p.integer().primary(),
    /** Number of the conclusion about the attempt, from 1. */
    position: p.integer().primary(),
    outcome: p.text().$type<AttemptOutcome>(),
    evidence: p.json().$type<JsonObject>(),
    concludedAt: p.datetime(3),
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
    signingKeyEpoch: p.integer().default(1),
    createdAt: p.datetime(3),
  },
});

/** The maximum cost, in lamports, of the transactions signed in one day for one pool or one client. */
export const RelaySpendingEntity = defineEntity({
  name: 'RelaySpending',
  tableName: 'relay_spending',
  properties: {
    scopeHash: p.blob().primary().$type<Uint8Array>(),
    day: p.datetime(3).primary(),
    lamports: p.bigint('number'),
  },
});

/** What finalized state proves about a signature: it landed and succeeded, it landed and failed, or it can never land. */
export const ATTEMPT_OUTCOMES = ['landed', 'failed', 'dead'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

declare module '../../platform/database/query.js' {
  interface Tables {
    relay_requests: TableOf<typeof RelayRequestEntity>;
    relay_nullifiers: TableOf<typeof RelayNullifierEntity>;
    relay_organizations: TableOf<typeof RelayOrganizationEntity>;
    relay_applications: TableOf<typeof RelayApplicationEntity>;
    relay_attempts: TableOf<typeof RelayAttemptEntity>;
    relay_conclusions: TableOf<typeof RelayConclusionEntity>;
    relay_events: TableOf<typeof RelayEventEntity>;
    relay_receipts: TableOf<typeof RelayReceiptEntity>;
    relay_spending: TableOf<typeof RelaySpendingEntity>;
  }
}
