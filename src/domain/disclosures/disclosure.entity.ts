import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';
import type { JsonObject } from '../../platform/kernel/encoding/json.js';
import type { DisclosureFormat, DisclosureRules } from './policies/disclosure-rules.js';
import type { DisclosureDecision, DisclosureStatus } from './disclosure-state.js';

export const DisclosurePolicyEntity = defineEntity({
  name: 'DisclosurePolicy',
  tableName: 'disclosure_policies',
  properties: {
    id: p.text().primary().$type<Id<'dpl'>>(),
    organizationId: p.text().$type<Id<'org'>>(),
    key: p.text(),
    name: p.text(),
    rules: p.json().$type<DisclosureRules>(),
    createdAt: p.datetime(3),
  },
});

export const DisclosureEntity = defineEntity({
  name: 'Disclosure',
  tableName: 'disclosures',
  properties: {
    id: p.text().primary().$type<Id<'dsc'>>(),
    organizationId: p.text().$type<Id<'org'>>(),
    assetId: p.text().$type<Id<'ast'>>(),
    purpose: p.text(),
    /** In the form of `scopeToJson`. */
    scope: p.json().$type<JsonObject>(),
    format: p.text().$type<DisclosureFormat>(),
    status: p.text().$type<DisclosureStatus>(),
    externalReference: p.text().nullable(),
    /** The policy that decided. */
    policyId: p.text().nullable().$type<Id<'dpl'> | null>(),
    /** The policy that left the decision to a person. */
    reviewPolicyId: p.text().nullable().$type<Id<'dpl'> | null>(),
    /** The user (`usr_…`) or API key (`key_…`). */
    requestedBy: p.text(),
    requestedAt: p.datetime(3),
    decision: p.text().nullable().$type<DisclosureDecision | null>(),
    /** The user who decided. Null if the policy decided. */
    decidedBy: p.text().nullable(),
    decisionReason: p.text().nullable(),
    decidedAt: p.datetime(3).nullable(),
    /** The newest record that the authorized scope can select. */
    asOfPosition: p.bigint('number').nullable(),
    resolvedAt: p.datetime(3).nullable(),
    receiptId: p.text().nullable().$type<Id<'rcp'> | null>(),
    /** In the form of `sealResult`. */
    sealedResult: p.blob().nullable().$type<Uint8Array | null>(),
    /** When the result was deleted at the end of its retention, by the clock of the database. */
    resultDeletedAt: p.datetime(3).nullable(),
    /** When it was requested, by the clock of the database. Null for a row from before this column. */
    storedAt: p.datetime(3).nullable(),
    leaseOwner: p.text().nullable(),
    leaseExpiresAt: p.datetime(3).nullable(),
    fencingToken: p.bigint('number').default(0),
    /** Consecutive failed attempts. */
    failures: p.integer().default(0),
    nextAttemptAt: p.datetime(3).nullable(),
    /** The number of its last change among those of the organization's disclosures. */
    change: p.bigint('number').default(0),
  },
});

export const ReceiptEntity = defineEntity({
  name: 'Receipt',
  tableName: 'receipts',
  properties: {
    id: p.text().primary().$type<Id<'rcp'>>(),
    organizationId: p.text().$type<Id<'org'>>(),
    disclosureId: p.text().$type<Id<'dsc'>>(),
    body: p.json().$type<JsonObject>(),
    signature: p.blob().$type<Uint8Array>(),
    signingKeyEpoch: p.integer().default(1),
    createdAt: p.datetime(3),
  },
});

declare module '../../platform/database/query.js' {
  interface Tables {
    disclosure_policies: TableOf<typeof DisclosurePolicyEntity>;
    disclosures: TableOf<typeof DisclosureEntity>;
    receipts: TableOf<typeof ReceiptEntity>;
  }
}
