import { sql, type Reader } from '../database/index.js';
import type { Id } from '../kernel/ids.js';
import type { Address, Signature } from '../ledger/index.js';

/**
 * An address whose history is followed: the mint, an account of it, or an account that was one and now belongs to
 * another mint, under the same address.
 */
export type FollowedKind = 'mint' | 'token_account' | 'former_account';

export interface FollowedAddress {
  readonly address: Address;
  readonly kind: FollowedKind;
  /** Its history is indexed from the beginning up to here; undefined before the first transaction. */
  readonly frontier: { readonly signature: Signature; readonly slot: number } | undefined;
  /** The first transaction that the walk from undefined found. */
  readonly oldestSignature: Signature | undefined;
  /** Whether the instruction that created it was among what was indexed: only then nothing lies before. */
  readonly originSeen: boolean;
}

export function newlyFollowed(address: Address): FollowedAddress {
  return {
    address,
    kind: 'token_account',
    frontier: undefined,
    oldestSignature: undefined,
    originSeen: false,
  };
}

interface Row {
  readonly address: Address;
  readonly kind: FollowedKind;
  readonly frontierSignature: Signature | null;
  readonly frontierSlot: number | null;
  readonly oldestSignature: Signature | null;
  readonly originSeen: boolean;
}

/** Everything followed for a mint, in the order in which it was learned. */
export async function loadFollowedAddresses(
  reader: Reader,
  assetId: Id<'ast'>,
): Promise<Map<Address, FollowedAddress>> {
  const rows = await reader.rows(sql<Row>`
    select address, kind, frontier_signature as "frontierSignature", frontier_slot as "frontierSlot",
      oldest_signature as "oldestSignature", origin_seen as "originSeen"
    from followed_addresses where asset_id = ${assetId} order by learned_at, address`);
  return new Map(
    rows.map(({ frontierSignature, frontierSlot, oldestSignature, ...row }) => [
      row.address,
      {
        ...row,
        frontier:
          frontierSignature === null || frontierSlot === null
            ? undefined
            : { signature: frontierSignature, slot: frontierSlot },
        oldestSignature: oldestSignature ?? undefined,
      },
    ]),
  );
}
