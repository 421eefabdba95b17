import { recordActivity } from '../activity-log/index.js';
import type { Foundation } from '../database/index.js';
import { badUserInput, notFound } from '../kernel/errors.js';
import { locateId } from '../kernel/ids.js';
import {
  actorOf,
  findApplicationByForeignId,
  requireOwnerPermission,
  type Principal,
} from '../organizations/index.js';
import { AssetEntity } from './asset.entity.js';
import { selectAssets, type Asset } from './asset.js';

/** Links an asset to one of the organization's applications, or to none; its transactions go with it. */
export async function assignAsset(
  foundation: Foundation,
  principal: Principal | undefined,
  input: { readonly assetId: string; readonly foreignId: string | null },
): Promise<Asset> {
  const caller = requireOwnerPermission(principal, 'applications:create');
  const { organizationId } = caller;
  const id = locateId('ast', input.assetId);

  return foundation.database.transaction(async (transaction) => {
    const [asset] = await selectAssets(transaction, { organizationId, id, forUpdate: true });
    if (!asset) throw notFound('asset');
    const application =
      input.foreignId === null
        ? undefined
        : await findApplicationByForeignId(transaction, organizationId, input.foreignId);
    if (input.foreignId !== null && !application) {
      throw badUserInput('foreignId must name an application of the organization.');
    }
    const applicationId = application?.id ?? null;
    if (asset.applicationId === applicationId) return asset;

    const now = foundation.clock.now();
    await transaction.em.nativeUpdate(AssetEntity, { id, organizationId }, { applicationId, updatedAt: now });
    await recordActivity(transaction, {
      organizationId,
      eventType: 'asset.assigned',
      actor: actorOf(caller),
      object: { type: 'asset', id, name: asset.name, symbol: asset.symbol },
      application,
      at: now,
    });
    return { ...asset, applicationId, updatedAt: now };
  });
}
