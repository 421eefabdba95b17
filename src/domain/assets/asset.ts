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
export interface Asset extends Omit<RowOf<typeof AssetEntity>, 'auditorPublicKey'> {
  /** Standard base64 of 32 bytes, as Solana's tools print it. */
  readonly auditorElGamalPubkey: string;
}

export interface AssetSelection {
  readonly organizationId: Id<'org'>;
  readonly id?: Id<'ast'>;
  /** Ids below this one: listings go from the newest to the oldest. */
  readonly before?: Id<'ast'> | undefined;
  readonly limit?: number;
  /** Holds the row for this transaction. */
  readonly forUpdate?: boolean;
}

/** The organization's assets, newest first. */
export async function selectAssets(reader: Reader, selection: AssetSelection): Promise<Asset[]> {
  const { organizationId, id, before, limit = 1, forUpdate } = selection;
  const rows = await reader.rows(
    query
      .selectFrom('assets')
      .select(columnsOf(AssetEntity))
      .where('organization_id', '=', organizationId)
      .$if(id !== undefined, (assets) => assets.where('id', '=', id!))
      .$if(before !== undefined, (assets) => assets.where('id', '<', before!))
      .orderBy('id', 'desc')
      .limit(limit)
      .$if(forUpdate === true, (assets) => assets.forUpdate()),
  );
  return rows.map(({ auditorPublicKey, ...asset }) => ({
    ...asset,
    auditorElGamalPubkey: base64.encode(auditorPublicKey),
  }));
}

/** The organization's asset, locked until the transaction ends. @throws `NOT_FOUND` */
export async function lockAsset(
  transaction: Transaction,
  organizationId: Id<'org'>,
  id: Id<'ast'>,
): Promise<Asset> {
  const [asset] = await selectAssets(transaction, { organizationId, id, forUpdate: true });
  if (!asset) throw notFound('asset');
  return asset;
}

export const ASSET_SUMMARY = ['id', 'name', 'symbol', 'decimals'] as const;

/** What a reader must know of an asset to ask for a case of it, or to read its amounts. */
export type AssetSummary = Pick<Asset, (typeof ASSET_SUMMARY)[number]>;

/** The organization's assets of these ids, in their order. */
export type AssetsOf = (wanted: Wanted) => Promise<readonly AssetSummary[]>;

/** Assets that are asked for together are read by one statement. */
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
