import { recordActivity } from '../activity-log/index.js';
import type { Foundation } from '../../platform/database/index.js';
import { invalidMember } from '../../platform/kernel/errors.js';
import { parseIdOrNotFound } from '../../platform/kernel/ids.js';
import {
  actorOf,
  findApplicationByForeignId,
  type Principal,
  requireOwnerPermission,
} from '../access/index.js';
import { AssetEntity } from './asset.entity.js';
import { type Asset, lockAsset, loggedAsset } from './asset.js';
import type { AssignAssetInput } from './asset.type.js';

/** Links an asset to one of the organization's applications, or to none; its transactions go with it. */
export async function assignAsset(
  foundation: Foundation,
  principal: Principal | undefined,
  input: Readonly<AssignAssetInput>,
): Promise<Asset> {
  const caller = requireOwnerPermission(principal, 'applications:create');
  const { organizationId } = caller;
  const id = parseIdOrNotFound('ast', input.assetId);
  const foreignId = input.foreignId ?? null;

  return foundation.database.transaction(async (transaction) => {
    const asset = await lockAsset(transaction, organizationId, id);
    const application =
      foreignId === null
        ? undefined
        : await findApplicationByForeignId(transaction, organizationId, foreignId);
    if (foreignId !== null && !application) {
      throw invalidMember('foreignId', 'must name an application of the organization');
    }
    const applicationId = application?.id ?? null;
    if (asset.applicationId === applicationId) return asset;

    const now = foundation.clock.now();
    await transaction.em.nativeUpdate(AssetEntity, { id, organizationId }, { applicationId, updatedAt: now });
    await recordActivity(transaction, {
      organizationId,
      eventType: 'asset.assigned',
      actor: actorOf(caller),
      object: loggedAsset(asset),
      application,
      at: now,
    });
    return { ...asset, applicationId, updatedAt: now };
  });
}
