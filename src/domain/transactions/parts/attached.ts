import { sql } from '../../../platform/database/index.js';
import { conflict } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';

/** Which records of an asset a read is about; all without any bound. */
export interface Reach {
  /** A position: records after it. */
  readonly after?: number;
  /** Block times, in Unix seconds. */
  readonly period?: {
    readonly from: number | null;
    /** The first second that is outside. */
    readonly until: number | null;
  };
}

/**
 * A condition for the statement that reads records: true where all that the read is about are attached, in the same snapshot.
 * Otherwise the statement fails with `CONFLICT` (`records_archived`). It names no row of the statement, so that PostgreSQL
 * decides it first, also where there are no rows.
 */
export const areAttached = (
  organizationId: Id<'org'>,
  assetIds: readonly Id<'ast'>[],
  { after = 0, period }: Reach = {},
) => sql<boolean>`(
  select coalesce(bool_and(kept.archived is null or refuse_archived(
    kept.archived, ${after}::bigint, ${period?.from ?? null}::bigint, ${period?.until ?? null}::bigint, null, null)), true)
  from assets as kept where kept.organization_id = ${organizationId} and kept.id = any(${[...assetIds]}::text[]))`;

/** The position of the newest record of the row of `assets`, wherever it is; null without any. */
export const newestOfAsset = sql<number | null>`greatest(
  (select max(position) from transactions where asset_id = assets.id),
  (select max((away ->> 'last')::bigint) from jsonb_array_elements(assets.archived) as away))`;

/** No attached record has the name, and archived ones cannot be searched. */
export const mayBeArchived = () =>
  conflict(
    'No attached record has this id or signature, and older records are in cold storage. Ask the operator to attach them.',
    { reason: 'records_archived' },
  );
