import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../platform/database/index.js';
import type { DisclosureFlags } from '../cases/index.js';
import type { Id } from '../../platform/kernel/ids.js';
import type { ReportFormat, ReportType } from './report-types.js';

/** A finished report. It is inserted once, and the database refuses every change except the sealing of its digest. */
export const ReportEntity = defineEntity({
  name: 'Report',
  tableName: 'reports',
  properties: {
    id: p.text().primary().$type<Id<'rpt'>>(),
    /** The order of listings, with gaps. */
    sequence: p.bigint('number').autoincrement(),
    organizationId: p.text().$type<Id<'org'>>(),
    /** Null for a report on the whole organization. */
    applicationId: p.text().nullable().$type<Id<'app'> | null>(),
    caseId: p.text().nullable().$type<Id<'cas'> | null>(),
    reportType: p.text().$type<ReportType>(),
    format: p.text().$type<ReportFormat>(),
    /** ISO 8601 dates in UTC. Both days are covered completely. */
    periodFrom: p.date().nullable(),
    periodTo: p.date().nullable(),
    /** The flags that were granted when the report was generated. */
    disclosureFlags: p.json().nullable().$type<DisclosureFlags | null>(),
    assetIds: p.json().nullable().$type<readonly Id<'ast'>[] | null>(),
    recordCount: p.bigint('number'),
    /** The generation that wrote the file. */
    contentId: p.text().$type<Id<'rpt'>>(),
    /** The digest of the file and its salt, sealed: see `report-digest.ts`. */
    sealedDigest: p.blob().nullable().$type<Uint8Array | null>(),
    /** The SHA-256 of the file if it is not sealed yet, with its salt of 16 bytes. */
    sha256: p.blob().nullable().$type<Uint8Array | null>(),
    digestSalt: p.blob().nullable().$type<Uint8Array | null>(),
    generatedBy: p.text().$type<Id<'usr'>>(),
    /** When the data of the report was captured. */
    generatedAt: p.datetime(3),
    logEntryId: p.text().$type<Id<'log'>>(),
  },
});

/** The content of a report. Reports of an organization with the same content share one file. */
export const ReportFileEntity = defineEntity({
  name: 'ReportFile',
  tableName: 'report_files',
  properties: {
    /** The generation that wrote it, whose chunks hold it. */
    contentId: p.text().primary().$type<Id<'rpt'>>(),
    organizationId: p.text().$type<Id<'org'>>(),
    /** A keyed digest that identifies equal files. Null in files of an earlier version. */
    contentKey: p.blob().nullable().$type<Uint8Array | null>(),
    /** The SHA-256 of the file, if it is not sealed yet. */
    sha256: p.blob().nullable().$type<Uint8Array | null>(),
    sizeBytes: p.bigint('number'),
    createdAt: p.datetime(3),
    /** By the clock of the database. Null in rows from before this column. */
    storedAt: p.datetime(3).nullable(),
  },
});

/** A piece of a file, sealed for its position in that file. */
export const ReportChunkEntity = defineEntity({
  name: 'ReportChunk',
  tableName: 'report_chunks',
  properties: {
    contentId: p.text().primary().$type<Id<'rpt'>>(),
    chunkIndex: p.integer().primary(),
    sealedBytes: p.blob().$type<Uint8Array>(),
  },
});

/** A report that is being generated, or whose generation failed. It is deleted when the report is finished. */
export const ReportGenerationEntity = defineEntity({
  name: 'ReportGeneration',
  tableName: 'report_generations',
  properties: {
    id: p.text().primary().$type<Id<'rpt'>>(),
    organizationId: p.text().$type<Id<'org'>>(),
    applicationId: p.text().nullable().$type<Id<'app'> | null>(),
    caseId: p.text().nullable().$type<Id<'cas'> | null>(),
    /** Null in rows of an instance of the previous version. */
    reportType: p.text().nullable().$type<ReportType | null>(),
    requestedBy: p.text().$type<Id<'usr'>>(),
    status: p.text().$type<'running' | 'failed'>(),
    recordCount: p.bigint('number').default(0),
    recordTotal: p.bigint('number').nullable(),
    recordTotalIsEstimate: p.boolean().default(false),
    failure: p.text().nullable(),
    requestedAt: p.datetime(3),
    endedAt: p.datetime(3).nullable(),
    /** Random for each generation. No other worker ever continues it. */
    leaseOwner: p.text().nullable(),
    leaseExpiresAt: p.datetime(3).nullable(),
  },
});

/** When a user last began to download a report, and how far. A range after that in the same session is not a second download. */
export const ReportDownloadEntity = defineEntity({
  name: 'ReportDownload',
  tableName: 'report_downloads',
  properties: {
    reportId: p.text().primary().$type<Id<'rpt'>>(),
    userId: p.text().primary().$type<Id<'usr'>>(),
    beganAt: p.datetime(3),
    /** Null if an earlier version began it. */
    sessionId: p.text().nullable().$type<Id<'ses'> | null>(),
    /** The byte after the last one that was sent. Null if an earlier version began it. */
    sentTo: p.bigint('number').nullable(),
  },
});

declare module '../../platform/database/query.js' {
  interface Tables {
    reports: TableOf<typeof ReportEntity>;
    report_files: TableOf<typeof ReportFileEntity>;
    report_chunks: TableOf<typeof ReportChunkEntity>;
    report_generations: TableOf<typeof ReportGenerationEntity>;
    report_downloads: TableOf<typeof ReportDownloadEntity>;
  }
}
