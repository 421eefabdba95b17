import {
  batchedByIds,
  columnsOf,
  type Foundation,
  query,
  type Reader,
  type RowOf,
  type Transaction,
  type Wanted,
} from '../../platform/database/index.js';
import { notFound } from '../../platform/kernel/errors.js';
import type { Id } from '../../platform/kernel/ids.js';
import { base64 } from '../../platform/kernel/encoding/bytes.js';
import { AssetEntity } from './asset.entity.js';

/** A confidential asset as its readers see it. Unset members are null. */
export interface Asset extends Omit<
  RowOf<typeof AssetEntity>,
  'auditorPublicKey' | 'auditorKeyEpoch' | 'movedSlot' | 'archived'
> {
  /** The organization's newest auditor key in standard base64 of 32 bytes, as Solana's tools print it. */
  readonly auditorElGamalPubkey: string;
}

/** The table has the key at registration. The key that a mint must have changes with rotations, so it is read separately. */
const SHOWN = [
  ...(['id', 'organizationId', 'applicationId', 'workspaceId', 'name', 'symbol', 'decimals'] as const),
  ...(['creatorAuthority', 'mintAddress', 'deploymentSignature', 'deploymentStatus'] as const),
  ...(['disclosurePolicyId', 'confidentialMintBurnEnabled', 'status', 'createdAt', 'updatedAt'] as const),
] as const;

export interface AssetSelection {
  readonly organizationId: Id<'org'>;
  readonly id?: Id<'ast'>;
  readonly applicationId?: Id<'app'> | undefined;
  /** Ids below this one: listings go from the newest to the oldest. */
  readonly before?: Id<'ast'> | undefined;
  readonly limit?: number;
  /** Locks the rows until the transaction ends, to change them or to prevent changes. */
  readonly lock?: 'change' | 'hold';
}

/** The organization's assets, newest first. */
export async function selectAssets(reader: Reader, selection: AssetSelection): Promise<Asset[]> {
  const { organizationId, id, applicationId, before, limit = 1, lock } = selection;
  const rows = await reader.rows(
    query
      .selectFrom('assets')
      .select(columnsOf(AssetEntity, SHOWN))
      .select((assets) =>
        assets
          .selectFrom('auditor_keys')
          .select('public_key')
          .whereRef('auditor_keys.organization_id', '=', 'assets.organization_id')
          .where('imported', '=', false)
          .orderBy('epoch', 'desc')
          .limit(1)
          .$asScalar()
          .$notNull()
          .as('auditorPublicKey'),
      )
      .where('organization_id', '=', organizationId)
      .$if(id !== undefined, (assets) => assets.where('id', '=', id!))
      .$if(applicationId !== undefined, (assets) => assets.where('application_id', '=', applicationId!))
      .$if(before !== undefined, (assets) => assets.where('id', '<', before!))
      .orderBy('id', 'desc')
      .limit(limit)
      .$if(lock === 'change', (assets) => assets.forUpdate())
      .$if(lock === 'hold', (assets) => assets.forShare()),
  );
  return rows.map(({ auditorPublicKey, ...asset }) => ({
    ...asset,
    auditorElGamalPubkey: base64.encode(auditorPublicKey),
  }));
}

/**
 * The organization's asset, locked until the transaction ends. `change` is the lock for changing it. `hold` prevents changes,
 * and still lets records be added.
 *
 * @throws `NOT_FOUND`
 */
export async function lockAsset(
  transaction: Transaction,
  organizationId: Id<'org'>,
  id: Id<'ast'>,
  lock: 'change' | 'hold' = 'change',
): Promise<Asset> {
  const [asset] = await selectAssets(transaction, { organizationId, id, lock });
  if (!asset) throw notFound('asset');
  return asset;
}

const ASSET_SUMMARY = ['id', 'name', 'symbol', 'decimals', 'mintAddress'] as const;

/** The members of an asset that a reader needs to request a case of it or to read its amounts. */
export type AssetSummary = Pick<Asset, (typeof ASSET_SUMMARY)[number]>;

/** The columns of an `AssetSummary`. */
export const assetSummaryColumns = () => columnsOf(AssetEntity, ASSET_SUMMARY);

/** The name of an asset in entries of the activity log. */
export const loggedAsset = ({ id, name, symbol }: Pick<AssetSummary, 'id' | 'name' | 'symbol'>) => ({
  type: 'asset',
  id,
  name,
  symbol,
});

/** The organization's assets of these ids, in their order. */
export type AssetsOf = (wanted: Wanted) => Promise<readonly AssetSummary[]>;

/** One statement reads all assets that are requested together. */
export function createAssetsOf({ database }: Pick<Foundation, 'database'>): AssetsOf {
  return batchedByIds((isWanted) =>
    database.rows(
      query
        .selectFrom('assets')
        .select(columnsOf(AssetEntity, ['organizationId', ...ASSET_SUMMARY]))
        .where(isWanted),
    ),
  );
}
