import { sql, type Foundation } from '../database/index.js';
import type { Id } from '../kernel/ids.js';
import { requireScope, type Principal } from '../organizations/index.js';
import type { AssetStatus } from './asset-state.js';
import { locateAsset } from './find-asset.js';

/** How far the asset's mint is indexed. The `latest…` members are there once a record is. */
export interface IndexerStatus {
  readonly assetId: Id<'ast'>;
  readonly mintAddress: string | null;
  /** Whether the mint was found right on the ledger: from then on it is followed, whatever holds the indexing up. */
  readonly registered: boolean;
  readonly status: AssetStatus;
  readonly reason: string | null;
  readonly indexedCount: number;
  readonly latestSlot: number | null;
  readonly latestBlockTime: number | null;
  readonly latestSignature: string | null;
  readonly lastIndexedAt: Date | null;
}

type Row = Omit<IndexerStatus, 'assetId'>;

export async function indexerStatus(
  foundation: Foundation,
  principal: Principal | undefined,
  assetId: string,
): Promise<IndexerStatus> {
  const { organizationId } = requireScope(principal, 'assets:read');
  const asset = await locateAsset(foundation.database, organizationId, assetId);
  const [row] = await foundation.database.rows(sql<Row>`
    select indexed_mints.mint_address as "mintAddress", registered_at is not null as "registered",
      indexed_mints.status, reason, record_count as "indexedCount", latest_slot as "latestSlot",
      latest_block_time as "latestBlockTime", latest_signature as "latestSignature", last_indexed_at as "lastIndexedAt"
    from indexed_mints join assets on assets.id = indexed_mints.asset_id
    where asset_id = ${asset.id} and assets.organization_id = ${organizationId}`);
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
