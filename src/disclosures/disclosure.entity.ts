import { defineEntity, p } from '@mikro-orm/core';
import type { Id } from '../kernel/ids.js';
import type { JsonObject } from '../kernel/json.js';
import type { DisclosureFormat, DisclosureRules } from './disclosure-rules.js';
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
    scope: p.json().$type<JsonObject>(),
    format: p.text().$type<DisclosureFormat>(),
    status: p.text().$type<DisclosureStatus>(),
    externalReference: p.text().nullable(),
    policyId: p.text().nullable().$type<Id<'dpl'> | null>(),
    requestedBy: p.text(),
    requestedAt: p.datetime(3),
    decision: p.text().nullable().$type<DisclosureDecision | null>(),
    decidedBy: p.text().nullable(),
    decisionReason: p.text().nullable(),
    decidedAt: p.datetime(3).nullable(),
    asOfPosition: p.bigint('number').nullable(),
    resolvedAt: p.datetime(3).nullable(),
    receiptId: p.text().nullable().$type<Id<'rcp'> | null>(),
    sealedResult: p.blob().nullable().$type<Uint8Array | null>(),
    leaseOwner: p.text().nullable(),
    leaseExpiresAt: p.datetime(3).nullable(),
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
    createdAt: p.datetime(3),
  },
});
