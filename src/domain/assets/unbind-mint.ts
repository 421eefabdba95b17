import { recordActivity } from '../activity-log/index.js';
import { type Foundation, query, type Transaction } from '../../platform/database/index.js';
import { conflict } from '../../platform/kernel/errors.js';
import { type Id, parseIdOrNotFound } from '../../platform/kernel/ids.js';
import { parseReason } from '../../platform/kernel/text.js';
import { actingAs, actorOf, findApplicationById, type Principal, requireProposer } from '../access/index.js';
import { withSecondPerson } from '../organizations/index.js';
import { type Asset, selectAssets, lockAsset, loggedAsset } from './asset.js';
import type { UnbindMintInput } from './asset.type.js';
import { requireUncovered } from './covered-asset.js';
import { findAssetOf } from './find-asset.js';
import { unregisterMint } from './registered-mint.js';

/**
 * Removes a binding without indexed records; the asset is `pending` again, and can be bound to another mint. An asset with
 * another policy or application could then bind the mint, so this requires two persons if a second person is required. Cases
 * and disclosures of the asset would then show the records of the other mint, so none may be active or pending.
 */
export async function unbindMint(
  foundation: Foundation,
  principal: Principal | undefined,
  input: Readonly<UnbindMintInput>,
): Promise<Asset> {
  const caller = requireProposer(foundation, principal, 'unbindMint');
  const { organizationId } = caller;
  const id = parseIdOrNotFound('ast', input.assetId);
  const reason = parseReason(input.reason);

  const { mintAddress } = boundAsset(await findAssetOf(foundation.database, organizationId, id));
  const proposal = {
    operation: 'unbindMint',
    input: { assetId: id, mintAddress },
    lockFirst: (transaction: Transaction) => lockAsset(transaction, organizationId, id),
  } as const;
  const acting = actingAs(caller);
  return withSecondPerson(foundation, acting, proposal, async (transaction) => {
    const asset = boundAsset(await lockAsset(transaction, organizationId, id));
    if ((await countRecords(transaction, id)) > 0)
      throw conflict('Records of the mint are indexed. Disable the asset instead.');

    const now = foundation.clock.now();
    await requireUncovered(transaction, asset, { mint: 'another mint', at: now });
    await unregisterMint(transaction, id);
    await transaction.rows(
      query
        .updateTable('assets')
        .set({
          mint_address: null,
          deployment_signature: null,
          deployment_status: null,
          status: 'pending',
          updated_at: now,
        })
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .where('status', '=', asset.status),
    );
    await recordActivity(transaction, {
      organizationId,
      eventType: 'asset.mint_unbound',
      actor: actorOf(caller),
      object: loggedAsset(asset),
      details: { mint_address: asset.mintAddress, reason },
      application: await findApplicationById(transaction, organizationId, asset.applicationId),
      at: now,
    });
    const [unbound] = await selectAssets(transaction, { organizationId, id });
    return unbound!;
  });
}

function boundAsset(asset: Asset): Asset & { readonly mintAddress: string } {
  const { status, mintAddress } = asset;
  if (status !== 'active' || mintAddress === null)
    throw conflict(`The asset is ${status}: no mint is bound to it.`);
  return { ...asset, mintAddress };
}

/** Locks the mint's row as the indexer does while it writes, so that no record is added until the transaction ends. */
async function countRecords(transaction: Transaction, assetId: Id<'ast'>): Promise<number> {
  const [mint] = await transaction.rows(
    query
      .selectFrom('indexed_mints')
      .select('record_count as records')
      .where('asset_id', '=', assetId)
      .forUpdate(),
  );
  return mint?.records ?? 0;
}
