import { armor, Encrypter } from 'age-encryption';
import { type Asset, bindMint, createAsset } from '../../../src/domain/assets/index.js';
import type { CreateAssetInput } from '../../../src/domain/assets/asset.type.js';
import { type Foundation, sql } from '../../../src/platform/database/index.js';
import type { Principal } from '../../../src/domain/access/index.js';
import { randomAddress } from '../../kit/ledger/confidential-records.js';

export const EURO: Readonly<CreateAssetInput> = { name: 'Confidential Euro', symbol: 'CEUR', decimals: 6 };

/** A newly registered asset that is already bound to a separate mint. */
export async function boundAsset(foundation: Foundation, principal: Principal): Promise<Asset> {
  const { id } = await createAsset(foundation, principal, EURO);
  return bindMint(foundation, principal, { assetId: id, mintAddress: randomAddress() });
}

/** The types of the log entries about an asset, in order. */
export async function logOf({ database }: Foundation, assetId: string): Promise<string[]> {
  const rows = await database.rows(sql<{ type: string }>`
    select event_type as type from activity_entries
    where entry -> 'object' ->> 'id' = ${assetId} order by sequence`);
  return rows.map(({ type }) => type);
}

/** An armored age file. */
export async function encryptTo(recipient: string, text: string): Promise<string> {
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipient);
  return armor.encode(await encrypter.encrypt(text));
}
