import { useRead } from '../../graphql/hooks';
import { POOLS } from './documents';

/** A pool by its name, where the gateway has one, and its selector. */
export function PoolName({ selector }: { readonly selector: string }) {
  const pools = useRead(['pools'], POOLS, {}).data?.data.pools ?? [];
  const name = pools.find((pool) => pool.selector === selector)?.name;
  return <>{name === undefined ? selector : `${name} (${selector})`}</>;
}
