import type { Expression, SelectQueryBuilder } from 'kysely';
import type { Tables, Transaction } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';

/** The kinds of data that are deleted after a time, and for how many years each is kept by default. */
export const DEFAULT_RETENTION_YEARS = {
  /** The files of reports. */
  reports: 10,
  /** The results of disclosures, with their amounts. */
  disclosure_results: 10,
  /** Names and addresses in the log, of former members, and in invitations. */
  personal_values: 5,
} as const;

export type RetentionKind = keyof typeof DEFAULT_RETENTION_YEARS;
export const RETENTION_KINDS = Object.keys(DEFAULT_RETENTION_YEARS) as RetentionKind[];

/**
 * The default for every kind. Regulation (EU) 2024/1624, Article 77, requires records of customers for five years; national law on
 * accounts and taxes requires longer. The database deletes no report or result earlier, whatever the setting.
 */
export const MIN_RETENTION_YEARS = 5;
export const MAX_RETENTION_YEARS = 30;

/** The data of one table that is deleted at the end of its retention. */
export interface RetentionRule {
  readonly kind: RetentionKind;
  readonly table: 'report_files' | 'disclosures' | 'activity_entries' | 'users' | 'invitations';
  /** The migration of the upgrade that adds the rule, if it came later than retention itself. */
  readonly since?: string;
  /** Rows deleted in one transaction. */
  readonly batchSize: number;
  /** The organization's data from before this time. */
  readonly due: (
    organizationId: Expression<string>,
    before: Expression<Date>,
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
  ) => SelectQueryBuilder<Tables, any, object>;
  /**
   * Deletes at most `limit` items, and returns their number. Meanwhile, no hold can be placed in the organization, and no
   * other deletion runs.
   */
  readonly remove: (transaction: Transaction, batch: RemovedBatch) => Promise<number>;
}

interface RemovedBatch {
  readonly organizationId: Id<'org'>;
  readonly before: Date;
  readonly limit: number;
  readonly at: Date;
}
