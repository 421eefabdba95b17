import type { Tile, TileAddress } from '../../../platform/crypto/index.js';
import { query, sql, type Reader, type Transaction } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';

export async function readTiles(
  reader: Reader,
  organizationId: Id<'org'>,
  addresses: readonly TileAddress[],
): Promise<Tile[]> {
  if (addresses.length === 0) return [];
  // One statement for any number of tiles: the builder has no `unnest` of two arrays.
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
  if (tiles.length === 0) return;
  await transaction.rows(
    query
      .insertInto('log_tiles')
      .values(
        tiles.map(({ level, index, hashes }) => ({
          organization_id: organizationId,
          level,
          tile_index: index,
          hashes,
        })),
      )
      .onConflict((conflict) =>
        conflict
          .columns(['organization_id', 'level', 'tile_index'])
          .doUpdateSet((tile) => ({ hashes: tile.ref('excluded.hashes') })),
      ),
  );
}
