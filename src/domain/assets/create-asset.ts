import { recordActivity } from '../activity-log/index.js';
import { type Foundation, query, valuesOf, withIdempotencyKey } from '../../platform/database/index.js';
import { invalidMember, parseMembers } from '../../platform/kernel/errors.js';
import { newId } from '../../platform/kernel/ids.js';
import { parseName, parseOptionalText } from '../../platform/kernel/text.js';
import {
  actorOf,
  findApplicationByForeignId,
  type Principal,
  repeatableBy,
  requireScope,
} from '../access/index.js';
import { AssetEntity } from './asset.entity.js';
import { type Asset, selectAssets, loggedAsset } from './asset.js';
import type { CreateAssetInput } from './asset.type.js';
import { currentAuditorKey } from './auditor-keys/auditor-keys.js';

/**
 * Registers an asset as `pending` and assigns it the organization's auditor key. A `workspaceId` that is the foreignId
 * of one of the organization's applications links the asset to that application.
 */
export async function createAsset(
  foundation: Foundation,
  principal: Principal | undefined,
  request: Readonly<CreateAssetInput>,
): Promise<Asset> {
  const caller = requireScope(principal, 'assets:write');
  const input = parseInput(request);
  const { organizationId } = caller;

  return foundation.database.transaction((transaction) =>
    withIdempotencyKey(
      transaction,
      foundation,
      {
        ...repeatableBy(transaction, caller, 'assets:write'),
        ...{ key: request.idempotencyKey, operation: 'createAsset', request: input },
      },
      async () => {
        const now = foundation.clock.now();
        const id = newId('ast');
        const auditorKey = await currentAuditorKey(transaction, foundation, organizationId);
        const application =
          input.workspaceId === null
            ? undefined
            : await findApplicationByForeignId(transaction, organizationId, input.workspaceId);
        await transaction.rows(
          query.insertInto('assets').values(
            valuesOf(AssetEntity, {
              id,
              organizationId,
              applicationId: application?.id ?? null,
              auditorPublicKey: auditorKey.publicKey,
              auditorKeyEpoch: auditorKey.epoch,
              status: 'pending',
              createdAt: now,
              updatedAt: now,
              ...input,
            }),
          ),
        );
        await recordActivity(transaction, {
          organizationId,
          eventType: 'asset.created',
          actor: actorOf(caller),
          object: loggedAsset({ id, ...input }),
          details: { decimals: input.decimals, auditor_key_epoch: auditorKey.epoch },
          application,
          at: now,
        });
        const [asset] = await selectAssets(transaction, { organizationId, id });
        return { resourceId: id, answer: asset! };
      },
    ),
  );
}

function parseInput(input: Readonly<CreateAssetInput>) {
  return parseMembers({
    name: () => parseName('name', input.name, 128),
    symbol: () => parseName('symbol', input.symbol, 16),
    decimals: () => parseDecimals(input.decimals),
    workspaceId: () => parseOptionalText('workspaceId', input.workspaceId, 256),
    creatorAuthority: () => parseOptionalText('creatorAuthority', input.creatorAuthority, 256),
    disclosurePolicyId: () => parseOptionalText('disclosurePolicyId', input.disclosurePolicyId, 256),
    confidentialMintBurnEnabled: () => input.confidentialMintBurnEnabled ?? false,
  });
}

function parseDecimals(decimals: number): number {
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > 255) {
    throw invalidMember('decimals', 'must be an integer from 0 to 255');
  }
  return decimals;
}
