import { bindMint, createAsset, type Asset } from '../../src/assets/index.js';
import type { CreateAssetInput } from '../../src/assets/create-asset.js';
import { sql, type Foundation } from '../../src/database/index.js';
import type { Principal } from '../../src/organizations/index.js';
import { randomAddress } from '../kit/confidential-records.js';

export const EURO: CreateAssetInput = { name: 'Confidential Euro', symbol: 'CEUR', decimals: 6 };

/** A newly registered asset that is already bound to a mint of its own. */
export async function boundAsset(foundation: Foundation, principal: Principal): Promise<Asset> {
  const { id } = await createAsset(foundation, principal, EURO);
  return bindMint(foundation, principal, { assetId: id, mintAddress: randomAddress() });
}

/** The kinds of what the log says of an asset, in order. */
export async function logOf({ database }: Foundation, assetId: string): Promise<string[]> {
  const rows = await database.rows(sql<{ type: string }>`
    select event_type as type from activity_entries
    where entry -> 'object' ->> 'id' = ${assetId} order by sequence`);
  return rows.map(({ type }) => type);
}
