import {
  aliasedColumnsOf,
  batchedByIds,
  type Foundation,
  query,
  type RowOf,
} from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';
import { type Principal, requireScope } from '../access/index.js';
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

/** The indexing progress of the asset's mint. The `latest…` members are null until there is a record. */
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

/** The indexing progress of an asset's mint. */
export type IndexerStatusOf = (
  principal: Principal | undefined,
  assetId: Id<'ast'>,
) => Promise<IndexerStatus>;

/** One statement reads all assets that are requested together. */
export function createIndexerStatusOf({ database }: Pick<Foundation, 'database'>): IndexerStatusOf {
  const mints = batchedByIds((isWanted) =>
    database.rows(
      query
        .selectFrom('indexed_mints')
        .innerJoin('assets', 'assets.id', 'indexed_mints.asset_id')
        .select(['organization_id as organizationId', 'id'])
        .select(aliasedColumnsOf('indexed_mints', IndexedMintEntity, SHOWN))
        .select(['record_count as indexedCount', 'verified as registered'])
        .where(isWanted),
    ),
  );
  return async (principal, assetId) => {
    const { organizationId } = requireScope(principal, 'assets:read');
    const [mint] = await mints({ organizationId, ids: [assetId] });
    const { mintAddress, registered, status, reason, indexedCount, ...last } = mint ?? UNBOUND;
    const { latestSlot, latestBlockTime, latestSignature, lastIndexedAt } = last;
    return {
      ...{ assetId, mintAddress, registered, status, reason, indexedCount },
      ...{ latestSlot, latestBlockTime, latestSignature, lastIndexedAt },
    };
  };
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
