import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';
import type { CaseRequestStatus } from './requests/case-request-state.js';
import type { DisclosureFlags } from './disclosure-flags.js';

/** A request of an auditor, and its decision. */
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
    /** ISO 8601 dates in UTC. Both days are covered completely. */
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
    /** The number of its last change among those of the application's requests and cases. */
    change: p.bigint('number'),
  },
});

/** An approved case. Its scope never changes; it can be ended, and its auditors can change. */
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
    /** The end of access. If the case was ended early, it is that time. */
    expiresAt: p.datetime(3),
    endedAt: p.datetime(3).nullable(),
    endedBy: p.text().nullable().$type<Id<'usr'> | null>(),
    endReason: p.text().nullable(),
    change: p.bigint('number'),
  },
});

/** The assignment of an auditor to a case. */
export const CaseAuditorEntity = defineEntity({
  name: 'CaseAuditor',
  tableName: 'case_auditors',
  properties: {
    caseId: p.text().primary().$type<Id<'cas'>>(),
    userId: p.text().primary().$type<Id<'usr'>>(),
  },
});

/** The reads of a user in a case within an hour (UTC). The log has one entry for them. */
export const CaseViewEntity = defineEntity({
  name: 'CaseView',
  tableName: 'case_views',
  properties: {
    caseId: p.text().primary().$type<Id<'cas'>>(),
    userId: p.text().primary().$type<Id<'usr'>>(),
    /** The beginning of the hour. */
    hour: p.datetime(3).primary(),
    /** The answers that showed data of the case, and the number of transactions in them. */
    answers: p.integer(),
    transactions: p.bigint('number'),
    /** The number of answers that the log states: the first one, until an entry states the total. */
    loggedAnswers: p.integer().default(1),
  },
});

declare module '../../platform/database/query.js' {
  interface Tables {
    case_requests: TableOf<typeof CaseRequestEntity>;
    cases: TableOf<typeof CaseEntity>;
    case_views: TableOf<typeof CaseViewEntity>;
    case_auditors: TableOf<typeof CaseAuditorEntity>;
  }
}
