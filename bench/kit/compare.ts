/** A block of work of one arm, long enough to be measured. */
export interface Block {
  /** The amount of work in the unit of the benchmark: requests, rows, amounts. All results were checked. */
  readonly units: number;
  readonly seconds: number;
  /** The CPU time of the measured server; `undefined` if the kernel does not report it. */
  readonly cpuSeconds?: number | undefined;
}

export type Arm = () => Promise<Block> | Block;

/** The CPU time of the servers for one unit, in microseconds, and how many times as much the reference takes. */
export interface CpuComparison {
  readonly productMicroseconds: number;
  readonly referenceMicroseconds: number;
  readonly ratio: number;
  readonly interval: readonly [low: number, high: number];
}

export interface Comparison {
  /**
   * Units per second, the median of the blocks. They depend on the speed of this machine; the ratio shows the speed of the
   * code.
   */
  readonly productRate: number;
  readonly referenceRate: number;
  /** Product to reference, the median of the pairs. */
  readonly ratio: number;
  /** The interval of 95 percent of medians of resampled pairs (percentile bootstrap, Efron 1979). */
  readonly interval: readonly [low: number, high: number];
  readonly pairs: number;
  /** If the blocks of both arms have it. */
  readonly cpu?: CpuComparison;
}

const RESAMPLES = 2_000;

/**
 * Measures both arms in turn (A B, B A, A B, …), so that changes in the speed of the machine affect both, and compares each
 * block with its neighbor. The first `warmUp` blocks of each are not counted.
 */
export async function compare(
  arms: { readonly product: Arm; readonly reference: Arm },
  pairs: number,
  warmUp = 1,
): Promise<Comparison> {
  for (let block = 0; block < warmUp; block += 1) {
    await arms.product();
    await arms.reference();
  }
  const product: Block[] = [];
  const reference: Block[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    const order = pair % 2 === 0 ? (['product', 'reference'] as const) : (['reference', 'product'] as const);
    for (const arm of order) {
      (arm === 'product' ? product : reference).push(await arms[arm]());
    }
  }
  const rates = { product: product.map(rateOf), reference: reference.map(rateOf) };
  const ratios = rates.product.map((rate, at) => rate / rates.reference[at]!);
  const cpu = cpuComparison(product, reference);
  return {
    productRate: median(rates.product),
    referenceRate: median(rates.reference),
    ratio: median(ratios),
    interval: bootstrap(ratios),
    pairs,
    ...(cpu && { cpu }),
  };
}

const rateOf = ({ units, seconds }: Block) => units / seconds;

function cpuComparison(product: readonly Block[], reference: readonly Block[]): CpuComparison | undefined {
  const each = (blocks: readonly Block[]) =>
    blocks.flatMap(({ units, cpuSeconds }) => (cpuSeconds === undefined ? [] : (cpuSeconds / units) * 1e6));
  const [ours, theirs] = [each(product), each(reference)];
  if (ours.length < product.length || theirs.length < reference.length) return undefined;
  const ratios = ours.map((time, at) => theirs[at]! / time);
  return {
    productMicroseconds: median(ours),
    referenceMicroseconds: median(theirs),
    ratio: median(ratios),
    interval: bootstrap(ratios),
  };
}

/**
 * Joins comparisons of the same work by processes that were started again for each. Two processes that run the same code differ
 * by several percent for as long as they live, so the ratios of processes are resampled here, not those of their blocks.
 */
export function joined(comparisons: readonly Comparison[]): Comparison {
  const each = (member: 'productRate' | 'referenceRate' | 'ratio') => comparisons.map((one) => one[member]);
  const cpus = comparisons.flatMap(({ cpu }) => cpu ?? []);
  return {
    productRate: median(each('productRate')),
    referenceRate: median(each('referenceRate')),
    ratio: median(each('ratio')),
    interval: bootstrap(each('ratio')),
    pairs: comparisons.reduce((sum, { pairs }) => sum + pairs, 0),
    ...(cpus.length === comparisons.length && { cpu: joinedCpu(cpus) }),
  };
}

function joinedCpu(cpus: readonly CpuComparison[]): CpuComparison {
  const each = (member: Exclude<keyof CpuComparison, 'interval'>) => cpus.map((one) => one[member]);
  return {
    productMicroseconds: median(each('productMicroseconds')),
    referenceMicroseconds: median(each('referenceMicroseconds')),
    ratio: median(each('ratio')),
    interval: bootstrap(each('ratio')),
  };
}

export async function timed(units: number, work: () => Promise<unknown>): Promise<Block> {
  const began = performance.now();
  await work();
  return { units, seconds: (performance.now() - began) / 1000 };
}

/** Returns the CPU seconds of this thread, which exclude the time of other processes on the core. */
export function work<T>(once: () => T): { readonly result: T; readonly seconds: number } {
  const began = process.threadCpuUsage();
  const result = once();
  const { user, system } = process.threadCpuUsage(began);
  return { result, seconds: (user + system) / 1e6 };
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Between two values, their mean weighted by distance. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const low = sorted[Math.floor(at)];
  const high = sorted[Math.ceil(at)];
  if (low === undefined || high === undefined) throw new RangeError('Nothing was measured.');
  return low + (high - low) * (at - Math.floor(at));
}

function bootstrap(values: readonly number[]): [number, number] {
  const medians = Array.from({ length: RESAMPLES }, () =>
    median(values.map(() => values[Math.floor(Math.random() * values.length)]!)),
  );
  return [quantile(medians, 0.025), quantile(medians, 0.975)];
}
