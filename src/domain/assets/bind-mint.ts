import { recordActivity } from '../activity-log/index.js';
import {
  type Foundation,
  query,
  sql,
  type Transaction,
  violatedConstraint,
} from '../../platform/database/index.js';
import { conflict, parseMembers } from '../../platform/kernel/errors.js';
import { type Id, parseIdOrNotFound } from '../../platform/kernel/ids.js';
import { parseOptionalText } from '../../platform/kernel/text.js';
import { parseAddress } from '../../platform/ledger/index.js';
import {
  actorOf,
  findApplicationById,
  type Principal,
  requireScope,
  requireScopeStill,
  requiresSecondPerson,
} from '../access/index.js';
import { mayBecome } from './asset-state.js';
import { type Asset, selectAssets, lockAsset, loggedAsset } from './asset.js';
import type { BindMintInput } from './asset.type.js';
import { requireUncovered } from './covered-asset.js';
import { beginObserving, registerMint } from './registered-mint.js';

/** Published after each binding, so that the indexer registers the mint immediately. */
export const MINTS_TOPIC = 'mints';

/**
 * Maximum number of an organization's bound mints that were never seen with its auditor key. Workers follow a limited number
 * of mints. Without this limit, one organization could use up their places with mints that do not exist.
 */
export const MAX_UNVERIFIED_MINTS = 64;

/**
 * Binds a deployed mint to a pending asset, which becomes `active`, and makes it available to the indexer. The binding claims
 * the mint without reserving it: other organizations may bind it too. The indexer then checks the mint on the ledger and
 * reports problems in its status, without undoing the binding. The ledger is public, so it needs no proof.
 */
export async function bindMint(
  foundation: Foundation,
  principal: Principal | undefined,
  input: Readonly<BindMintInput>,
): Promise<Asset> {
  const caller = requireScope(principal, 'assets:write');
  const { organizationId } = caller;
  const id = parseIdOrNotFound('ast', input.assetId);
  const observed = input.observe ?? false;
  const { mintAddress, deploymentSignature, deploymentStatus } = parseMembers({
    mintAddress: () => parseAddress('mintAddress', input.mintAddress),
    deploymentSignature: () => parseOptionalText('deploymentSignature', input.deploymentSignature, 256),
    deploymentStatus: () => parseOptionalText('deploymentStatus', input.deploymentStatus, 256),
  });

  try {
    return await foundation.database.transaction(async (transaction) => {
      const asset = await lockAsset(transaction, organizationId, id);
      await requireScopeStill(transaction, caller, 'assets:write');
      const isBound = asset.status === 'active' && asset.mintAddress === mintAddress;
      if (isBound && !(observed && (await beginObserving(transaction, id)))) return asset;
      if (asset.status === 'active' && !isBound)
        throw conflict('The asset is already bound to another mint.');
      const now = foundation.clock.now();
      if (!isBound) {
        if (!mayBecome(asset.status, 'active'))
          throw conflict(`The asset is ${asset.status}: no mint can be bound to it.`);
        await requireRoomForMint(transaction, organizationId);
        await transaction.rows(
          query
            .updateTable('assets')
            .set({
              mint_address: mintAddress,
              deployment_signature: deploymentSignature,
              deployment_status: deploymentStatus,
              status: 'active',
              updated_at: now,
            })
            .where('id', '=', id)
            .where('organization_id', '=', organizationId)
            .where('status', '=', asset.status),
        );
        await requireEarlierRules(transaction, { ...asset, mintAddress }, now);
        await registerMint(transaction, { id, mintAddress, observed, now });
      }
      await recordActivity(transaction, {
        organizationId,
        eventType: 'asset.mint_bound',
        actor: actorOf(caller),
        object: loggedAsset(asset),
        details: { mint_address: mintAddress, deployment_signature: deploymentSignature, observed },
        application: await findApplicationById(transaction, organizationId, asset.applicationId),
        at: now,
      });
      transaction.afterCommit(() => foundation.signals.publish(MINTS_TOPIC));
      const [bound] = await selectAssets(transaction, { organizationId, id });
      return bound!;
    });
  } catch (thrown) {
    if (violatedConstraint(thrown) === 'assets_mint')
      throw conflict('Your organization has bound the mint to another asset.');
    throw thrown;
  }
}

/**
 * An asset's policy, its application's administrators, and cases decide who reads the amounts of its mint. A mint that another
 * asset had was not part of what people approved for this one, so no case, request or disclosure may cover it yet. If a second
 * person is required, one person cannot replace the rules by registering the mint again: the new asset must have the policy and
 * the application of every earlier one, or none. Without a policy a person decides, and a link to an application requires two
 * persons. Runs after the mint is claimed, so that no other asset of the organization binds or unbinds it concurrently.
 */
async function requireEarlierRules(transaction: Transaction, asset: Asset, now: Date): Promise<void> {
  const { id, organizationId, mintAddress, disclosurePolicyId, applicationId } = asset;
  const others = await transaction.rows(
    query
      .selectFrom('assets')
      .select(['id', 'disclosure_policy_id as policyId', 'application_id as applicationId'])
      .where('organization_id', '=', organizationId)
      .where('mint_address', '=', mintAddress)
      .where('id', '<>', id)
      .orderBy('id'),
  );
  if (others.length > 0 || (await wasUnboundElsewhere(transaction, asset)))
    await requireUncovered(transaction, asset, { mint: 'the mint of another asset', at: now });
  if (disclosurePolicyId === null && applicationId === null) return;
  if (!(await requiresSecondPerson(transaction, organizationId))) return;
  for (const other of others) {
    const belonged = `The mint belonged to ${other.id}, which has another`;
    if (disclosurePolicyId !== null && other.policyId !== disclosurePolicyId)
      throw conflict(
        `${belonged} disclosure policy. Your organization requires a second person: ` +
          'the new asset must name the same disclosurePolicyId, or none, so that a person decides.',
      );
    if (applicationId !== null && other.applicationId !== applicationId)
      throw conflict(
        `${belonged} application. Your organization requires a second person: the new asset must have the same ` +
          'application, or none. Two people can then assign it with assignAsset.',
      );
  }
}

/** Whether another asset of the organization had the mint. Only the log remembers it, and forgets nothing. */
async function wasUnboundElsewhere(
  transaction: Transaction,
  { id, organizationId, mintAddress }: Pick<Asset, 'id' | 'organizationId' | 'mintAddress'>,
): Promise<boolean> {
  const earlier = await transaction.rows(
    query
      .selectFrom('activity_entries')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('event_type', '=', 'asset.mint_unbound')
      .where('object_id', '<>', id)
      // Raw: the builder reads no members of JSON.
      .where(sql<boolean>`entry->'details'->>'mint_address' = ${mintAddress}`)
      .limit(1),
  );
  return earlier.length > 0;
}

async function requireRoomForMint(transaction: Transaction, organizationId: Id<'org'>): Promise<void> {
  const unverified = await transaction.rows(
    query
      .selectFrom('indexed_mints')
      .innerJoin('assets', 'assets.id', 'indexed_mints.asset_id')
      .select('asset_id')
      .where('organization_id', '=', organizationId)
      .where('indexed_mints.status', '<>', 'disabled')
      .where('verified', '=', false)
      .where('verified_slot', 'is', null)
      .limit(MAX_UNVERIFIED_MINTS),
  );
  if (unverified.length < MAX_UNVERIFIED_MINTS) return;
  throw conflict(
    `Your organization has ${MAX_UNVERIFIED_MINTS} bound mints that the ledger does not show with its auditor key yet. ` +
      'Wait until they are indexed, or unbind those that do not exist.',
  );
}
