import type { Foundation, Reader } from '../../platform/database/index.js';
import { invalidMember, notFound } from '../../platform/kernel/errors.js';
import { type Id, isId, parseIdOrNotFound } from '../../platform/kernel/ids.js';
import { type Connection, connectionOf } from '../../platform/kernel/paging/connection.type.js';
import { cursorsFor, type PageInput, pageOf, parsePage } from '../../platform/kernel/paging/paging.js';
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

/** The organization's assets, newest first. With `applicationId`, only those of that application. */
export async function listAssets(
  foundation: Foundation,
  principal: Principal | undefined,
  input: PageInput,
  applicationId?: Id<'app'>,
): Promise<Connection<Asset>> {
  const { organizationId } = requireScope(principal, 'assets:read');
  const {
    cursors,
    limit,
    after: before,
  } = parsePage(input, 'string', () => cursorsFor('assets', applicationId ?? organizationId));
  if (before !== undefined && !isId('ast', before))
    throw invalidMember('after', 'is not a cursor of this listing');
  const rows = await selectAssets(foundation.database, {
    ...{ organizationId, applicationId, before, limit: limit + 1 },
  });
  return connectionOf(pageOf(rows, limit), ({ id }) => cursors.encode(id));
}
