import { sql, type Reader } from '../database/index.js';
import type { Id } from '../kernel/ids.js';
import type { CaseRecord } from './case.js';
import { secondsOfPeriod } from './case-window.js';
import type { DisclosureFlags } from './disclosure-flags.js';

/** Which records a case shows, and how much of them. */
export interface CaseScope {
  readonly organizationId: Id<'org'>;
  /** Only while an asset is this application's: its transactions go with it when it is assigned elsewhere. */
  readonly applicationId: Id<'app'>;
  /** Sorted: their order decides between records of one second. */
  readonly assetIds: readonly Id<'ast'>[];
  /** Of the block time, in Unix seconds. A record without one belongs to no period. */
  readonly period: {
    readonly from: number;
    /** The first second that is outside. */
    readonly until: number;
  };
  readonly flags: DisclosureFlags;
}

export function scopeOf(
  record: Pick<
    CaseRecord,
    'organizationId' | 'applicationId' | 'assetIds' | 'periodFrom' | 'periodTo' | 'disclosureFlags'
  >,
): CaseScope {
  return {
    organizationId: record.organizationId,
    applicationId: record.applicationId,
    assetIds: [...record.assetIds].sort(),
    period: secondsOfPeriod(record.periodFrom, record.periodTo),
    flags: record.disclosureFlags,
  };
}

/**
 * The newest record of each asset that is the application's. Positions are given without gaps in the order of commits and records never change,
 * so a scope and a snapshot fix a selection for good, without a transaction that is held open.
 */
export type CaseSnapshot = ReadonlyMap<Id<'ast'>, number>;

export async function snapshotOf(
  reader: Reader,
  {
    organizationId,
    applicationId,
    assetIds,
  }: Pick<CaseScope, 'organizationId' | 'applicationId' | 'assetIds'>,
): Promise<CaseSnapshot> {
  const rows = await reader.rows(sql<{ assetId: Id<'ast'>; position: number }>`
    select assets.id as "assetId", coalesce(
      (select max(position) from transactions where transactions.asset_id = assets.id), 0) as position
    from assets
    where organization_id = ${organizationId} and application_id = ${applicationId}
      and id = any(${[...assetIds]}::text[])`);
  return new Map(rows.map(({ assetId, position }) => [assetId, position]));
}
