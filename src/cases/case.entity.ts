import { defineEntity, p } from '@mikro-orm/core';
import type { Id } from '../kernel/ids.js';
import type { CaseRequestStatus } from './case-request-state.js';
import type { DisclosureFlags } from './disclosure-flags.js';

export const CaseRequestEntity = defineEntity({
  name: 'CaseRequest',
  tableName: 'case_requests',
  properties: {
    id: p.text().primary().$type<Id<'crq'>>(),
    organizationId: p.text().$type<Id<'org'>>(),
    applicationId: p.text().$type<Id<'app'>>(),
    status: p.text().$type<CaseRequestStatus>(),
    withdrawn: p.boolean(),
    reason: p.text(),
    requestedBy: p.text().$type<Id<'usr'>>(),
    periodFrom: p.date(),
    periodTo: p.date(),
    accessDays: p.integer(),
    disclosureFlags: p.json().$type<DisclosureFlags>(),
    auditorIds: p.array().$type<Id<'usr'>[]>(),
    assetIds: p.array().$type<Id<'ast'>[]>(),
    createdAt: p.datetime(3),
    decidedAt: p.datetime(3).nullable(),
    decidedBy: p.text().nullable().$type<Id<'usr'> | null>(),
    decisionReason: p.text().nullable(),
    caseId: p.text().nullable().$type<Id<'cas'> | null>(),
    change: p.bigint('number'),
  },
});

export const CaseEntity = defineEntity({
  name: 'Case',
  tableName: 'cases',
  properties: {
    id: p.text().primary().$type<Id<'cas'>>(),
    organizationId: p.text().$type<Id<'org'>>(),
    applicationId: p.text().$type<Id<'app'>>(),
    requestId: p.text().$type<Id<'crq'>>(),
    reason: p.text(),
    periodFrom: p.date(),
    periodTo: p.date(),
    accessDays: p.integer(),
    disclosureFlags: p.json().$type<DisclosureFlags>(),
    assetIds: p.array().$type<Id<'ast'>[]>(),
    approvedBy: p.text().$type<Id<'usr'>>(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
    change: p.bigint('number'),
  },
});

export const CaseAuditorEntity = defineEntity({
  name: 'CaseAuditor',
  tableName: 'case_auditors',
  properties: {
    caseId: p.text().primary().$type<Id<'cas'>>(),
    userId: p.text().primary().$type<Id<'usr'>>(),
  },
});
