import { recordActivity } from '../activity-log/index.js';
import { type Foundation, query, type Transaction } from '../../platform/database/index.js';
import { invalidMember } from '../../platform/kernel/errors.js';
import { parseIdOrNotFound } from '../../platform/kernel/ids.js';
import {
  actingAs,
  actorOf,
  findApplicationByForeignId,
  findApplicationById,
  type Principal,
  requireProposer,
} from '../access/index.js';
import { withSecondPerson } from '../organizations/index.js';
import { type Asset, lockAsset, loggedAsset } from './asset.js';
import type { AssignAssetInput } from './asset.type.js';
import { findAssetOf } from './find-asset.js';

/**
 * Links an asset and its transactions to an application of the organization, or removes the link. The application's
 * administrators then decide who reads the amounts, so a link requires two persons if a second person is required. Removing
 * the link only takes access away, and requires one.
 */
export async function assignAsset(
  foundation: Foundation,
  principal: Principal | undefined,
  input: Readonly<AssignAssetInput>,
): Promise<Asset> {
  const caller = requireProposer(foundation, principal, 'assignAsset');
  const { organizationId } = caller;
  const id = parseIdOrNotFound('ast', input.assetId);
  const foreignId = input.foreignId ?? null;
  const before = await findAssetOf(foundation.database, organizationId, id);
  const application =
    foreignId === null
      ? undefined
      : await findApplicationByForeignId(foundation.database, organizationId, foreignId);
  if (foreignId !== null && !application) {
    throw invalidMember('foreignId', 'must name an application of the organization');
  }
  const applicationId = application?.id ?? null;
  if (before.applicationId === applicationId) return before;

  const acting = actingAs(caller);
  const proposal = {
    operation: 'assignAsset',
    onePerson: foreignId === null,
    input: { assetId: id, foreignId },
    // Locked as in each decision of a disclosure.
    lockFirst: (transaction: Transaction) => lockAsset(transaction, organizationId, id),
  } as const;
  return withSecondPerson(foundation, acting, proposal, async (transaction) => {
    const asset = await lockAsset(transaction, organizationId, id);
    if (asset.applicationId === applicationId) return asset;
    const now = foundation.clock.now();
    await transaction.rows(
      query
        .updateTable('assets')
        .set({ application_id: applicationId, updated_at: now })
        .where('id', '=', id)
        .where('organization_id', '=', organizationId),
    );
    // One entry for each application, because its log does not show the other's.
    const left = await findApplicationById(transaction, organizationId, asset.applicationId);
    for (const [changed, assigned] of [[left, false] as const, [application, true] as const])
      if (changed)
        await recordActivity(transaction, {
          organizationId,
          eventType: 'asset.assigned',
          actor: actorOf(caller),
          object: loggedAsset(asset),
          details: { assigned },
          application: changed,
          at: now,
        });
    return { ...asset, applicationId, updatedAt: now };
  });
}
