import type { Foundation, Reader } from '../database/index.js';
import { notFound } from '../kernel/errors.js';
import { isId, locateId, type Id } from '../kernel/ids.js';
import { badUserInput } from '../kernel/errors.js';
import { cursorsFor, pageOf, parseLimit, type Page } from '../kernel/paging.js';
import { requireScope, type Principal } from '../organizations/index.js';
import { selectAssets, type Asset } from './asset.js';

/** The asset, when it is the caller's organization's. */
export async function findAsset(
  foundation: Foundation,
  principal: Principal | undefined,
  assetId: string,
): Promise<Asset> {
  const { organizationId } = requireScope(principal, 'assets:read');
  return locateAsset(foundation.database, organizationId, assetId);
}

/** For operations that have checked their permission: the organization's asset, or `NOT_FOUND`. */
export async function locateAsset(
  reader: Reader,
  organizationId: Id<'org'>,
  assetId: string,
): Promise<Asset> {
  const [asset] = await selectAssets(reader, { organizationId, id: locateId('ast', assetId) });
  if (!asset) throw notFound('asset');
  return asset;
}

export const assetCursors = cursorsFor('assets', {});

/** The organization's assets, newest first. */
export async function listAssets(
  foundation: Foundation,
  principal: Principal | undefined,
  page: { readonly first?: number | null | undefined; readonly after?: string | null | undefined },
): Promise<Page<Asset>> {
  const { organizationId } = requireScope(principal, 'assets:read');
  const limit = parseLimit('first', page.first);
  const before = page.after == null ? undefined : assetCursors.decode('string', 'after', page.after);
  if (before !== undefined && !isId('ast', before))
    throw badUserInput('after is not a cursor of this listing.');
  return pageOf(await selectAssets(foundation.database, { organizationId, before, limit: limit + 1 }), limit);
}
