import { columnsOf, query, type Reader } from '../../../platform/database/index.js';
import { type FollowedKind, FollowedAddressEntity } from '../../assets/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import type { Address, Signature } from '../../../platform/ledger/index.js';

export interface FollowedAddress {
  readonly address: Address;
  readonly kind: FollowedKind;
  /** The history of the address is indexed up to this transaction. Undefined before the first one. */
  readonly frontier: { readonly signature: Signature; readonly slot: number } | undefined;
  /** The first transaction of the first complete walk. */
  readonly oldestSignature: Signature | undefined;
  /** Whether the instruction that created it was indexed. Only then does it have no earlier history. */
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

/** All addresses that are followed for a mint, in the order in which they were found. */
export async function loadFollowedAddresses(
  reader: Reader,
  assetId: Id<'ast'>,
): Promise<Map<Address, FollowedAddress>> {
  const rows = await reader.rows(
    query
      .selectFrom('followed_addresses')
      .select(
        columnsOf(FollowedAddressEntity, [
          'address',
          'kind',
          'frontierSignature',
          'frontierSlot',
          'oldestSignature',
          'originSeen',
        ]),
      )
      .where('asset_id', '=', assetId)
      .orderBy('learned_at')
      .orderBy('address'),
  );
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
