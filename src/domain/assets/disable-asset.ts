import { recordActivity } from '../activity-log/index.js';
import { type Foundation, query } from '../../platform/database/index.js';
import { conflict } from '../../platform/kernel/errors.js';
import { parseIdOrNotFound } from '../../platform/kernel/ids.js';
import { parseReason } from '../../platform/kernel/text.js';
import {
  actorOf,
  findApplicationById,
  type Principal,
  requireOwnerPermission,
  requirePermissionStill,
} from '../access/index.js';
import { mayBecome } from './asset-state.js';
import { type Asset, lockAsset, loggedAsset } from './asset.js';
import type { DisableAssetInput } from './asset.type.js';
import { disableMint } from './registered-mint.js';

/** Takes an asset out of use: its mint is not indexed anymore, and its records stay readable. There is no way back. */
export async function disableAsset(
  foundation: Foundation,
  principal: Principal | undefined,
  input: Readonly<DisableAssetInput>,
): Promise<Asset> {
  const caller = requireOwnerPermission(principal, 'applications:create');
  const { organizationId } = caller;
  const id = parseIdOrNotFound('ast', input.assetId);
  const reason = parseReason(input.reason);

  return foundation.database.transaction(async (transaction) => {
    const asset = await lockAsset(transaction, organizationId, id);
    await requirePermissionStill(transaction, caller, null, 'owner', 'applications:create');
    if (!mayBecome(asset.status, 'disabled')) throw conflict('The asset is already disabled.');

    const now = foundation.clock.now();
    await transaction.rows(
      query
        .updateTable('assets')
        .set({ status: 'disabled', updated_at: now })
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .where('status', '=', asset.status),
    );
    await disableMint(transaction, id);
    await recordActivity(transaction, {
      organizationId,
      eventType: 'asset.disabled',
      actor: actorOf(caller),
      object: loggedAsset(asset),
      details: { mint_address: asset.mintAddress, reason },
      application: await findApplicationById(transaction, organizationId, asset.applicationId),
      at: now,
    });
    return { ...asset, status: 'disabled', updatedAt: now };
  });
}
