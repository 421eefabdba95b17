import { recordActivity } from '../activity-log/index.js';
import { sql, violatedConstraint, type Foundation } from '../database/index.js';
import { conflict, notFound } from '../kernel/errors.js';
import { locateId } from '../kernel/ids.js';
import { parseOptionalText } from '../kernel/text.js';
import { parseAddress } from '../ledger/index.js';
import { actorOf, findApplicationById, requireScope, type Principal } from '../organizations/index.js';
import { AssetEntity } from './asset.entity.js';
import { mayBecome } from './asset-state.js';
import { selectAssets, type Asset } from './asset.js';

export interface BindMintInput {
  readonly assetId: string;
  readonly mintAddress: string;
  readonly deploymentSignature?: string | null | undefined;
  readonly deploymentStatus?: string | null | undefined;
}

/** Told at each binding, so that the indexer registers the mint at once. */
export const MINTS_TOPIC = 'mints';

/**
 * Binds a deployed mint to a pending asset, which becomes `active`, and hands it to the indexer. The mint is checked
 * on the ledger afterwards: what is wrong with it shows in the indexer status and does not undo the binding.
 */
export async function bindMint(
  foundation: Foundation,
  principal: Principal | undefined,
  input: BindMintInput,
): Promise<Asset> {
  const caller = requireScope(principal, 'assets:write');
  const { organizationId } = caller;
  const id = locateId('ast', input.assetId);
  const mintAddress = parseAddress('mintAddress', input.mintAddress);
  const deploymentSignature = parseOptionalText('deploymentSignature', input.deploymentSignature, 256);
  const deploymentStatus = parseOptionalText('deploymentStatus', input.deploymentStatus, 256);

  try {
    return await foundation.database.transaction(async (transaction) => {
      const [asset] = await selectAssets(transaction, { organizationId, id, forUpdate: true });
      if (!asset) throw notFound('asset');
      if (asset.status === 'active' && asset.mintAddress === mintAddress) return asset;
      if (asset.status === 'active') throw conflict('The asset is already bound to another mint.');
      if (!mayBecome(asset.status, 'active'))
        throw conflict(`The asset is ${asset.status}: no mint can be bound to it.`);

      const now = foundation.clock.now();
      await transaction.em.nativeUpdate(
        AssetEntity,
        { id, organizationId, status: asset.status },
        { mintAddress, deploymentSignature, deploymentStatus, status: 'active', updatedAt: now },
      );
      await transaction.rows(sql`
        insert into indexed_mints (asset_id, mint_address, status, next_attempt_at)
        values (${id}, ${mintAddress}, 'pending', ${now})`);
      await transaction.rows(sql`
        insert into followed_addresses (asset_id, address, kind, learned_at)
        values (${id}, ${mintAddress}, 'mint', ${now})`);
      await recordActivity(transaction, {
        organizationId,
        eventType: 'asset.mint_bound',
        actor: actorOf(caller),
        object: { type: 'asset', id, name: asset.name, symbol: asset.symbol },
        details: { mint_address: mintAddress, deployment_signature: deploymentSignature },
        application: await findApplicationById(transaction, organizationId, asset.applicationId),
        at: now,
      });
      transaction.afterCommit(() => foundation.signals.publish(MINTS_TOPIC));
      const [bound] = await selectAssets(transaction, { organizationId, id });
      return bound!;
    });
  } catch (thrown) {
    if (violatedConstraint(thrown)?.includes('mint_address'))
      throw conflict('The mint is already bound elsewhere.');
    throw thrown;
  }
}
