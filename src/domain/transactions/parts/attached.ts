import { sql } from '../../../platform/database/index.js';
import { conflict } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';

/** The bounds of the records that a read needs. Without bounds, it needs all records of the asset. */
export interface Reach {
  /** A position: records after it. */
  readonly after?: number;
  /** Block times, in Unix seconds. */
  readonly period?: {
    readonly from: number | null;
    /** The first second after the period. */
    readonly until: number | null;
  };
}

/**
 * A condition for a statement that reads records. It is true if all records that the read needs are attached in the same
 * snapshot. Otherwise the statement fails with `CONFLICT` (`records_archived`). The condition names no row of the statement,
 * so PostgreSQL evaluates it first, even if there are no rows.
 */
export const areAttached = (
  organizationId: Id<'org'>,
  assetIds: readonly Id<'ast'>[],
  { after = 0, period }: Reach = {},
) => sql<boolean>`(
  select coalesce(bool_and(kept.archived is null or refuse_archived(
    kept.archived, ${after}::bigint, ${period?.from ?? null}::bigint, ${period?.until ?? null}::bigint, null, null)), true)
  from assets as kept where kept.organization_id = ${organizationId} and kept.id = any(${[...assetIds]}::text[]))`;

/** The position of the newest record of the row of `assets`, wherever it is. Null if there is none. */
export const newestOfAsset = sql<number | null>`greatest(
  (select max(position) from transactions where asset_id = assets.id),
  (select max((away ->> 'last')::bigint) from jsonb_array_elements(assets.archived) as away))`;

/** No attached record has the name, and archived records cannot be searched. */
export const mayBeArchived = () =>
  conflict(
    'No attached record has this id or signature, and older records are in cold storage. Ask the operator to attach them.',
    { reason: 'records_archived' },
  );
