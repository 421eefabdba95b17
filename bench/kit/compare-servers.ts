import type { Conditions } from './benchmark.ts';
import { compare, joined, type Comparison } from './compare.ts';
import type { Server } from './gateway.ts';
import { ceilingOf, type Load, type Target } from './load.ts';

/** The same requests for both arms, in the format of each. */
export interface Targets {
  readonly product: readonly Target[];
  readonly reference: readonly Target[];
}

/** Starts the server of each arm. */
export interface Servers {
  readonly gateway: () => Promise<Server>;
  readonly reference: () => Promise<Server>;
}

export interface ComparedServers extends Comparison {
  readonly unit: 'requests';
  readonly additional: Readonly<Record<string, number>>;
}

/** Blocks of each arm, on each work, before one counts: until the code of a server is compiled. */
const WARM_UP = 3;

/**
 * Loads both in turn, with each of the works, and starts both `starts` times: a process can be much slower than another one that
 * runs the same code, for as long as it lives. The result also has the maximum rate of the load generator.
 */
export async function compareServers<Work extends string>(
  { quick, pairs, tell }: Pick<Conditions, 'quick' | 'pairs' | 'tell'>,
  load: Load,
  servers: Servers,
  works: Readonly<Record<Work, Targets>>,
  starts: number,
): Promise<Record<Work, ComparedServers>> {
  const names = Object.keys(works) as Work[];
  const rounds = quick ? 1 : starts;
  const blocks = { pairs: Math.ceil(pairs / rounds), warmUp: quick ? 1 : WARM_UP };
  const compared: Record<Work, Comparison>[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await using started = new AsyncDisposableStack();
    const open = async (arm: keyof Servers) => started.use(await servers[arm]());
    // Each is the first to start in half of the rounds.
    const isFirst = round % 2 === 0;
    const first = await open(isFirst ? 'gateway' : 'reference');
    const second = await open(isFirst ? 'reference' : 'gateway');
    const [gateway, reference] = isFirst ? [first, second] : [second, first];
    const comparisons = {} as Record<Work, Comparison>;
    for (const name of names) {
      const product = await load.arm(gateway, works[name].product);
      const beside = await load.arm(reference, works[name].reference);
      const arms = { product: () => product.block(), reference: () => beside.block() };
      comparisons[name] = await compare(arms, blocks.pairs, blocks.warmUp);
    }
    compared.push(comparisons);
    tell(`start ${round + 1} of ${rounds} compared`);
  }
  const results = {} as Record<Work, ComparedServers>;
  for (const name of names) {
    const ceiling = Math.round(await ceilingOf(load, works[name].product[0]!));
    results[name] = {
      unit: 'requests',
      ...joined(compared.map((comparisons) => comparisons[name])),
      additional: { 'the load generator could /s': ceiling },
    };
  }
  return results;
}
