import { type Foundation, query, type Reader } from '../../../platform/database/index.js';
import { newestOfAsset } from '../../transactions/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import type { CaseRecord } from '../case.js';
import { conflict, invalidMember } from '../../../platform/kernel/errors.js';
import { DAY_SECONDS, secondsOfPeriod } from '../case-window.js';
import type { DisclosureFlags } from '../disclosure-flags.js';
import { type CaseReferences, referencesOf } from './case-references.js';

/** The records that a case shows, and the flags that mask them. */
export interface CaseScope {
  readonly organizationId: Id<'org'>;
  /** An asset is covered only while it belongs to this application. */
  readonly applicationId: Id<'app'>;
  /** Sorted, because the order of assets decides between records of the same second. */
  readonly assetIds: readonly Id<'ast'>[];
  /** Limits the block time, in Unix seconds. A record without a block time belongs to no period. */
  readonly period: {
    readonly from: number;
    /** The first second after the period. */
    readonly until: number;
  };
  readonly flags: DisclosureFlags;
  /** Replaces the ids of records, unless `fullTxIds` is granted. */
  readonly references: CaseReferences | null;
}

export function scopeOf(
  { sealer }: Pick<Foundation, 'sealer'>,
  record: Pick<
    CaseRecord,
    'id' | 'organizationId' | 'applicationId' | 'assetIds' | 'periodFrom' | 'periodTo' | 'disclosureFlags'
  >,
): CaseScope {
  return {
    organizationId: record.organizationId,
    applicationId: record.applicationId,
    assetIds: [...record.assetIds].sort(),
    period: secondsOfPeriod(record.periodFrom, record.periodTo),
    flags: record.disclosureFlags,
    references: record.disclosureFlags.fullTxIds ? null : referencesOf(sealer, record.id),
  };
}

/**
 * The position of the newest record of each of the application's assets. Positions follow the order of commits without gaps,
 * and records never change. So a scope and a snapshot always select the same records, without an open transaction.
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
  if (assetIds.length === 0) return new Map();
  const rows = await reader.rows(
    query
      .selectFrom('assets')
      .select('assets.id as assetId')
      .select(newestOfAsset.as('position'))
      .where('organization_id', '=', organizationId)
      .where('application_id', '=', applicationId)
      .where('id', 'in', assetIds),
  );
  return new Map(rows.map(({ assetId, position }) => [assetId, position ?? 0]));
}

/**
 * Checks again, after reading and decrypting, which take time: an owner may have taken an asset out of the application, and
 * its records with it.
 *
 * @throws `CONFLICT`
 */
export async function requireAssetsStill(
  reader: Reader,
  { organizationId, applicationId }: Pick<CaseScope, 'organizationId' | 'applicationId'>,
  assetIds: Iterable<Id<'ast'>>,
): Promise<void> {
  const shown = new Set(assetIds);
  if (shown.size === 0) return;
  const rows = await reader.rows(
    query
      .selectFrom('assets')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('application_id', '=', applicationId)
      .where('id', 'in', [...shown]),
  );
  if (rows.length < shown.size)
    throw conflict('An asset of the case was taken out of its application in the meantime. Try again.');
}

/** The part of a case that a reader requests. */
export interface Narrowing {
  readonly assetId?: string | null | undefined;
  readonly from?: Date | null | undefined;
  readonly to?: Date | null | undefined;
}

/**
 * The part of a scope that a reader requests. Without `fullTxIds` both ends are extended to whole days, so that filters do
 * not reveal hidden times.
 *
 * @throws `BAD_USER_INPUT` for an asset that the case does not cover, and for an end before the beginning.
 */
export function narrowScope(scope: CaseScope, { assetId, from, to }: Narrowing): CaseScope {
  if (from && to && from > to) throw invalidMember('from', 'must not be after to');
  const covered = scope.assetIds.filter((id) => assetId == null || id === assetId);
  if (covered.length === 0 && assetId != null)
    throw invalidMember('assetId', 'must be an asset that the case covers');
  const seconds = (time: Date) => Math.floor(time.getTime() / 1000);
  const unit = scope.flags.fullTxIds ? 1 : DAY_SECONDS;
  const begin = from ? Math.floor(Math.ceil(from.getTime() / 1000) / unit) * unit : scope.period.from;
  const end = to ? (Math.floor(seconds(to) / unit) + 1) * unit : scope.period.until;
  return {
    ...scope,
    assetIds: covered,
    period: { from: Math.max(scope.period.from, begin), until: Math.min(scope.period.until, end) },
  };
}

/** The part of a filter that a cursor is bound to. Undefined without filters. */
export const narrowing = ({ assetId, from, to }: Narrowing): Record<string, string> => ({
  ...(assetId == null ? {} : { assetId }),
  ...(from == null ? {} : { from: from.toISOString() }),
  ...(to == null ? {} : { to: to.toISOString() }),
});
