import {
  HASH_LENGTH,
  nodeHash,
  rangeHash,
  subtreesOf,
  type Node,
  type NodeHashes,
  type Range,
} from './merkle-tree.js';

/** C2SP tlog-tiles: a tile is 8 levels high, so 256 hashes wide. */
const TILE_HEIGHT = 8;
const TILE_WIDTH = 2 ** TILE_HEIGHT;

/** The address of a tile: its hashes are the nodes of level `8 · level` from `256 · index` on. */
export interface TileAddress {
  readonly level: number;
  readonly index: number;
}

/** Up to 256 concatenated hashes. A tile that is not full can only grow. */
export interface Tile extends TileAddress {
  readonly hashes: Uint8Array;
}

/** The number of hashes that a tile level has in a tree of `size` entries. */
const countAt = (level: number, size: number) => Math.floor(size / TILE_WIDTH ** level);

/** The tiles at the right edge that are neither empty nor full, from the leaves up. Appending needs only these. */
export function borderTiles(size: number): TileAddress[] {
  const tiles: TileAddress[] = [];
  for (let level = 0, count = size; count > 0; level += 1, count = countAt(level, size)) {
    if (count % TILE_WIDTH > 0) tiles.push({ level, index: Math.floor(count / TILE_WIDTH) });
  }
  return tiles;
}

/** The tiles that contain the nodes for the hashes of these ranges, each once. */
export function tilesOf(ranges: readonly Range[]): TileAddress[] {
  const tiles = new Map<string, TileAddress>();
  for (const node of ranges.flatMap(subtreesOf)) {
    const address = tileOf(node);
    tiles.set(keyOf(address), address);
  }
  return [...tiles.values()];
}

/** A required tile is missing. */
export class MissingTile extends Error {}

/** Reads the hashes of nodes from tiles in memory. */
export function nodesFrom(tiles: Iterable<Tile>): NodeHashes {
  const prepared = new Map<string, Uint8Array[][]>();
  for (const tile of tiles) prepared.set(keyOf(tile), [splitHashes(tile.hashes)]);
  return (node) => {
    const address = tileOf(node);
    const levels = prepared.get(keyOf(address));
    const within = node.level % TILE_HEIGHT;
    const offset = node.index - address.index * 2 ** (TILE_HEIGHT - within);
    const hash = levels && nodesAbove(levels, within)[offset];
    if (!hash) throw new MissingTile(`No loaded tile holds node ${node.index} of level ${node.level}.`);
    return hash;
  };
}

/** Appends leaves to a tree: extends its border tiles, and adds new tiles. */
export interface TileAppender {
  readonly size: number;
  append(leaf: Uint8Array): void;
  root(): Uint8Array;
  /** All nodes of the initial and new tiles, in their current state. */
  readonly nodes: NodeHashes;
  /** The tiles that are new or have grown. */
  changed(): Tile[];
}

/** Continues a tree of `size` entries whose border tiles are `border`. */
export function tileAppender(size: number, border: Iterable<Tile>): TileAppender {
  const tiles = new Map<string, TileAddress & { hashes: Uint8Array[]; grown: boolean }>();
  for (const { level, index, hashes } of border) {
    const width = countAt(level, size) - index * TILE_WIDTH;
    // A tile may have grown since the tree had this size. Only the hashes of the tree of this size count.
    tiles.set(keyOf({ level, index }), {
      level,
      index,
      hashes: splitHashes(hashes).slice(0, width),
      grown: false,
    });
  }
  for (const address of borderTiles(size)) {
    const width = countAt(address.level, size) - address.index * TILE_WIDTH;
    if (tiles.get(keyOf(address))?.hashes.length !== width) {
      throw new MissingTile(`Tile ${address.index} of level ${address.level} is missing or too short.`);
    }
  }
  let count = size;

  const push = (level: number, position: number, hash: Uint8Array): void => {
    const address = { level, index: Math.floor(position / TILE_WIDTH) };
    const tile = tiles.get(keyOf(address)) ?? { ...address, hashes: [], grown: true };
    tiles.set(keyOf(address), tile);
    tile.hashes.push(hash);
    tile.grown = true;
    if (tile.hashes.length === TILE_WIDTH) {
      push(level + 1, address.index, nodesAbove([tile.hashes], TILE_HEIGHT)[0]!);
    }
  };
  const nodes: NodeHashes = (node) => {
    const address = tileOf(node);
    const tile = tiles.get(keyOf(address));
    const within = node.level % TILE_HEIGHT;
    const width = 2 ** within;
    const offset = (node.index - address.index * 2 ** (TILE_HEIGHT - within)) * width;
    const below = tile?.hashes.slice(offset, offset + width) ?? [];
    if (below.length < width)
      throw new MissingTile(`No loaded tile holds node ${node.index} of level ${node.level}.`);
    return nodesAbove([below], within)[0]!;
  };
  return {
    get size() {
      return count;
    },
    append(leaf) {
      push(0, count, leaf);
      count += 1;
    },
    root: () => rangeHash({ start: 0, end: count }, nodes),
    nodes,
    changed: () =>
      [...tiles.values()]
        .filter(({ grown }) => grown)
        .map(({ level, index, hashes }) => ({ level, index, hashes: Buffer.concat(hashes) })),
  };
}

function tileOf({ level, index }: Node): TileAddress {
  const tileLevel = Math.floor(level / TILE_HEIGHT);
  return { level: tileLevel, index: Math.floor(index / 2 ** (TILE_HEIGHT - (level % TILE_HEIGHT))) };
}

/** `levels[0]` are the hashes of a tile. Higher levels are computed on first use and cached. */
function nodesAbove(levels: Uint8Array[][], height: number): readonly Uint8Array[] {
  while (levels.length <= height) {
    const below = levels.at(-1)!;
    levels.push(
      Array.from({ length: Math.floor(below.length / 2) }, (_, index) =>
        nodeHash(below[2 * index]!, below[2 * index + 1]!),
      ),
    );
  }
  return levels[height]!;
}

function splitHashes(hashes: Uint8Array): Uint8Array[] {
  if (hashes.length % HASH_LENGTH !== 0) throw new Error('A tile is made of whole hashes.');
  return Array.from({ length: hashes.length / HASH_LENGTH }, (_, index) =>
    hashes.subarray(index * HASH_LENGTH, (index + 1) * HASH_LENGTH),
  );
}

const keyOf = ({ level, index }: TileAddress) => `${level}/${index}`;
