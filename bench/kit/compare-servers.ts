import type { Conditions } from './benchmark.ts';
import { compare, type Comparison } from './compare.ts';
import type { Server } from './gateway.ts';
import { ceilingOf, type Load, type Target } from './load.ts';

/** The same requests for both arms, in the format of each. */
export interface Targets {
  readonly product: readonly Target[];
  readonly reference: readonly Target[];
}

export interface Servers {
  readonly load: Load;
  readonly gateway: Server;
  readonly reference: Server;
}

export interface ComparedServers extends Comparison {
  readonly unit: 'requests';
  readonly additional: Readonly<Record<string, number>>;
}

/** Loads both in turn. The result also has the maximum rate of the load generator. */
export async function compareServers(
  { pairs }: Pick<Conditions, 'pairs'>,
  { load, gateway, reference }: Servers,
  targets: Targets,
): Promise<ComparedServers> {
  const product = await load.arm(gateway, targets.product);
  const beside = await load.arm(reference, targets.reference);
  const arms = { product: () => product.block(), reference: () => beside.block() };
  return {
    unit: 'requests',
    ...(await compare(arms, pairs)),
    additional: {
      'the load generator could /s': Math.round(await ceilingOf(load, targets.product[0]!)),
    },
  };
}
