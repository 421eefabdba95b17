import { sql, type Foundation } from '../database/index.js';
import { badUserInput } from '../kernel/errors.js';
import { isId, type Id } from '../kernel/ids.js';
import { connectionOf, type Connection } from '../kernel/connection.type.js';
import { cursorsFor, pageOf, parseLimit } from '../kernel/paging.js';
import { locateAsset } from '../assets/index.js';
import type { Principal } from '../organizations/index.js';
import { disclosureAccess, locateDisclosure, type VisibleDisclosure } from './disclosure-access.js';
import { selectDisclosures } from './disclosure.js';
import type { DisclosureResult } from './disclosure-result.js';
import { DISCLOSURE_STATUSES } from './disclosure-state.js';

export async function findDisclosure(
  foundation: Foundation,
  principal: Principal | undefined,
  disclosureId: string,
): Promise<VisibleDisclosure> {
  return locateDisclosure(foundation, disclosureAccess(principal), disclosureId);
}

export interface ListDisclosuresInput {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly status?: string | null | undefined;
  readonly assetId?: string | null | undefined;
}

/** A page of the disclosures that the caller may see, newest first. */
export async function listDisclosures(
  foundation: Foundation,
  principal: Principal | undefined,
  input: ListDisclosuresInput,
): Promise<Connection<VisibleDisclosure>> {
  const { organizationId, applicationIds, results } = disclosureAccess(principal);
  const limit = parseLimit('first', input.first);
  const status = DISCLOSURE_STATUSES.find((known) => known === input.status);
  if (input.status != null && !status) {
    throw badUserInput(`status must be one of ${DISCLOSURE_STATUSES.join(', ')}.`);
  }
  const assetId =
    input.assetId == null
      ? undefined
      : (await locateAsset(foundation.database, organizationId, input.assetId)).id;
  const cursors = cursorsFor('disclosures', { status: status ?? null, assetId: assetId ?? null });
  const before = input.after == null ? undefined : cursors.decode('string', 'after', input.after);
  if (before !== undefined && !isId('dsc', before))
    throw badUserInput('after is not a cursor of this listing.');

  const rows = await selectDisclosures(foundation.database, {
    organizationId,
    applicationIds,
    status,
    assetId,
    before,
    limit: limit + 1,
  });
  const { rows: page, hasNextPage } = pageOf(rows, limit);
  const visible = page.map((disclosure) => ({ ...disclosure, resultVisible: results }));
  return connectionOf({ rows: visible, hasNextPage }, ({ id }) => cursors.encode(id));
}

/** The sealed result in clear, for a caller who may see it; null while there is none. */
export async function openResult(
  { database, sealer }: Pick<Foundation, 'database' | 'sealer'>,
  { id, organizationId, status, resultVisible }: VisibleDisclosure,
): Promise<DisclosureResult | null> {
  if (status !== 'available' || !resultVisible) return null;
  const [row] = await database.rows(sql<{ sealed: Uint8Array | null }>`
    select sealed_result as sealed from disclosures
    where organization_id = ${organizationId} and id = ${id} and status = 'available'`);
  if (!row?.sealed) return null;
  return JSON.parse(new TextDecoder().decode(sealer.open(row.sealed, resultContext(id)))) as DisclosureResult;
}

/** Where a sealed result belongs: sealed for one disclosure it opens for no other. */
export const resultContext = (id: Id<'dsc'>) => `disclosures/${id}/result`;
