import type { Conditions, Result } from './benchmark.ts';
import { compare } from './compare.ts';
import type { Server } from './gateway.ts';
import { ceilingOf, type Load, type Target } from './load.ts';

/** The same requests of both arms, each in the arm’s own words. */
export interface Targets {
  readonly product: readonly Target[];
  readonly reference: readonly Target[];
}

export interface Servers {
  readonly load: Load;
  readonly gateway: Server;
  readonly reference: Server;
}

/** Loads both in turn. Beside the ratio stands what each took of its core, and what the load generator can do at most. */
export async function compareServers(
  { pairs }: Pick<Conditions, 'pairs'>,
  { load, gateway, reference }: Servers,
  targets: Targets,
): Promise<Pick<Result, 'unit' | 'additional'> & Awaited<ReturnType<typeof compare>>> {
  const product = await load.arm(gateway, targets.product);
  const beside = await load.arm(reference, targets.reference);
  const arms = { product: () => product.block(), reference: () => beside.block() };
  return {
    unit: 'requests',
    ...(await compare(arms, pairs)),
    additional: {
      'CPU of the server µs': product.cpuMicroseconds(),
      'of the reference µs': beside.cpuMicroseconds(),
      'the load generator could /s': Math.round(await ceilingOf(load, targets.product[0]!)),
    },
  };
}
