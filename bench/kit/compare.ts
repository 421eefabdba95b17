/** A block of work of one arm, long enough to be measured. */
export interface Block {
  /** The amount of work in the unit of the benchmark: requests, rows, amounts. All results were checked. */
  readonly units: number;
  readonly seconds: number;
}

export type Arm = () => Promise<Block> | Block;

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
}

const RESAMPLES = 2_000;

/**
 * Measures both arms in turn (A B, B A, A B, …), so that changes in the speed of the machine affect both, and compares each
 * block with its neighbor. The first block of each is not counted.
 */
export async function compare(
  arms: { readonly product: Arm; readonly reference: Arm },
  pairs: number,
): Promise<Comparison> {
  await arms.product();
  await arms.reference();
  const product: number[] = [];
  const reference: number[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    const order = pair % 2 === 0 ? (['product', 'reference'] as const) : (['reference', 'product'] as const);
    for (const arm of order) {
      const { units, seconds } = await arms[arm]();
      (arm === 'product' ? product : reference).push(units / seconds);
    }
  }
  const ratios = product.map((rate, at) => rate / reference[at]!);
  return {
    productRate: median(product),
    referenceRate: median(reference),
    ratio: median(ratios),
    interval: bootstrap(ratios),
    pairs,
  };
}

/**
 * Joins comparisons of the same work by processes that were started again for each. Two processes that run the same code differ
 * by several percent for as long as they live, so the ratios of processes are resampled here, not those of their blocks.
 */
export function joined(comparisons: readonly Comparison[]): Comparison {
  const each = (member: 'productRate' | 'referenceRate' | 'ratio') => comparisons.map((one) => one[member]);
  return {
    productRate: median(each('productRate')),
    referenceRate: median(each('referenceRate')),
    ratio: median(each('ratio')),
    interval: bootstrap(each('ratio')),
    pairs: comparisons.reduce((sum, { pairs }) => sum + pairs, 0),
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
