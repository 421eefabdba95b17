import type { Foundation, Reader } from '../../platform/database/index.js';
import { invalidMember, notFound } from '../../platform/kernel/errors.js';
import { type Id, isId, parseIdOrNotFound } from '../../platform/kernel/ids.js';
import {
  cursorsFor,
  type Page,
  type PageInput,
  pageOf,
  parseLimit,
} from '../../platform/kernel/paging/paging.js';
import { type Principal, requireScope } from '../access/index.js';
import { type Asset, selectAssets } from './asset.js';

/** The asset, if it belongs to the caller's organization. */
export async function findAsset(
  foundation: Foundation,
  principal: Principal | undefined,
  assetId: string,
): Promise<Asset> {
  const { organizationId } = requireScope(principal, 'assets:read');
  return findAssetOf(foundation.database, organizationId, assetId);
}

/** The organization's asset, or `NOT_FOUND`, for operations that have already checked their permission. */
export async function findAssetOf(
  reader: Reader,
  organizationId: Id<'org'>,
  assetId: string,
): Promise<Asset> {
  const [asset] = await selectAssets(reader, { organizationId, id: parseIdOrNotFound('ast', assetId) });
  if (!asset) throw notFound('asset');
  return asset;
}

export const assetCursors = cursorsFor('assets', {});

/** The organization's assets, newest first. With `applicationId`, only those of that application. */
export async function listAssets(
  foundation: Foundation,
  principal: Principal | undefined,
  page: PageInput,
  applicationId?: Id<'app'>,
): Promise<Page<Asset>> {
  const { organizationId } = requireScope(principal, 'assets:read');
  const limit = parseLimit('first', page.first);
  const before = page.after == null ? undefined : assetCursors.decode('string', 'after', page.after);
  if (before !== undefined && !isId('ast', before))
    throw invalidMember('after', 'is not a cursor of this listing');
  return pageOf(
    await selectAssets(foundation.database, { organizationId, applicationId, before, limit: limit + 1 }),
    limit,
  );
}
