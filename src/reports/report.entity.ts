import { defineEntity, p } from '@mikro-orm/core';
import type { DisclosureFlags } from '../cases/index.js';
import type { Id } from '../kernel/ids.js';
import type { ReportFormat, ReportType } from './report.js';

/** A finished report. It is inserted once, and nothing updates it: the database refuses. */
export const ReportEntity = defineEntity({
  name: 'Report',
  tableName: 'reports',
  properties: {
    id: p.text().primary().$type<Id<'rpt'>>(),
    organizationId: p.text().$type<Id<'org'>>(),
    applicationId: p.text().nullable().$type<Id<'app'> | null>(),
    caseId: p.text().nullable().$type<Id<'cas'> | null>(),
    reportType: p.text().$type<ReportType>(),
    format: p.text().$type<ReportFormat>(),
    periodFrom: p.date().nullable(),
    periodTo: p.date().nullable(),
    disclosureFlags: p.json().nullable().$type<DisclosureFlags | null>(),
    assetIds: p.json().nullable().$type<readonly Id<'ast'>[] | null>(),
    recordCount: p.bigint('number'),
    sha256: p.blob().$type<Uint8Array>(),
    generatedBy: p.text().$type<Id<'usr'>>(),
    generatedAt: p.datetime(3),
    logEntryId: p.text().$type<Id<'log'>>(),
  },
});
