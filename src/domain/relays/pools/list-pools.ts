import { type Principal, requireOwnerPermission } from '../../access/index.js';
import type { RelayDesk } from '../admission/relay-desk.js';

/** The pools that this gateway relays for, by selector. */
export function listPools(
  { pools }: Pick<RelayDesk, 'pools'>,
  principal: Principal | undefined,
): { readonly selector: string; readonly name: string }[] {
  requireOwnerPermission(principal, 'relays:read');
  return [...pools.values()]
    .map(({ poolSelector, name }) => ({ selector: poolSelector, name }))
    .sort((a, b) => (a.selector < b.selector ? -1 : 1));
}
