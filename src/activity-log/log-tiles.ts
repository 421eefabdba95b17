import type { Tile, TileAddress } from '../crypto/index.js';
import { sql, type Reader, type Transaction } from '../database/index.js';
import type { Id } from '../kernel/ids.js';

export async function readTiles(
  reader: Reader,
  organizationId: Id<'org'>,
  addresses: readonly TileAddress[],
): Promise<Tile[]> {
  if (addresses.length === 0) return [];
  return reader.rows(sql<Tile>`
    select log_tiles.level, log_tiles.tile_index as "index", log_tiles.hashes
    from unnest(${addresses.map(({ level }) => level)}::smallint[], ${addresses.map(({ index }) => index)}::bigint[])
      as wanted (level, tile_index)
    join log_tiles using (level, tile_index)
    where log_tiles.organization_id = ${organizationId}`);
}

/** Adds tiles, and replaces those that have grown. */
export async function writeTiles(
  transaction: Transaction,
  organizationId: Id<'org'>,
  tiles: readonly Tile[],
): Promise<void> {
  const rows = tiles.map(
    ({ level, index, hashes }) => sql`(${organizationId}, ${level}, ${index}, ${hashes})`,
  );
  if (rows.length === 0) return;
  await transaction.rows(sql`
    insert into log_tiles (organization_id, level, tile_index, hashes) values ${sql.join(rows)}
    on conflict (organization_id, level, tile_index) do update set hashes = excluded.hashes`);
}
