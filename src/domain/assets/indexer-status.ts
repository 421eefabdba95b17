import { aliasedColumnsOf, type Foundation, query, type RowOf } from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';
import { type Principal, requireScope } from '../access/index.js';
import { findAssetOf } from './find-asset.js';
import { IndexedMintEntity } from './mint.entity.js';

const SHOWN = [
  'mintAddress',
  'status',
  'reason',
  'latestSlot',
  'latestBlockTime',
  'latestSignature',
  'lastIndexedAt',
] as const;

/** How far the asset's mint is indexed. The `latest…` members are null until there is a record. */
export interface IndexerStatus extends Omit<
  Pick<RowOf<typeof IndexedMintEntity>, (typeof SHOWN)[number]>,
  'mintAddress'
> {
  readonly assetId: Id<'ast'>;
  readonly mintAddress: string | null;
  /** Whether the ledger shows your auditor key on the mint. Only then is it indexed, unless it is observed. */
  readonly registered: boolean;
  readonly indexedCount: number;
}

export async function indexerStatus(
  foundation: Foundation,
  principal: Principal | undefined,
  assetId: string,
): Promise<IndexerStatus> {
  const { organizationId } = requireScope(principal, 'assets:read');
  const asset = await findAssetOf(foundation.database, organizationId, assetId);
  const [row] = await foundation.database.rows(
    query
      .selectFrom('indexed_mints')
      .innerJoin('assets', 'assets.id', 'indexed_mints.asset_id')
      .select(aliasedColumnsOf('indexed_mints', IndexedMintEntity, SHOWN))
      .select(['record_count as indexedCount', 'verified as registered'])
      .where('asset_id', '=', asset.id)
      .where('assets.organization_id', '=', organizationId),
  );
  if (!row) return { ...UNBOUND, assetId: asset.id };
  return { ...row, assetId: asset.id };
}

const UNBOUND = {
  mintAddress: null,
  registered: false,
  status: 'pending',
  reason: null,
  indexedCount: 0,
  latestSlot: null,
  latestBlockTime: null,
  latestSignature: null,
  lastIndexedAt: null,
} as const;
