import type { Comparison } from './compare.ts';

/** One line of the table. */
export interface Result extends Comparison {
  readonly what: string;
  /** The name of a unit, such as `requests`. */
  readonly unit: string;
  readonly reference: string;
  /**
   * The ratio to reach, or the units per second if the reference does something else. Without it, the result is only
   * informative.
   */
  readonly reach?: number | { readonly perSecond: number };
  /** The ratio to reach by CPU time of the server. */
  readonly reachByCpu?: number;
  /** Other figures of the same run with their units, such as memory or latency. */
  readonly additional?: Readonly<Record<string, number | string>>;
}

export interface Conditions {
  /** Only checks that it runs and every reply is correct, with minimal blocks and data. The measurements are meaningless. */
  readonly quick: boolean;
  /** At least ten times as many rows, in benchmarks of the number of rows. */
  readonly large: boolean;
  /** Number of blocks of each arm. */
  readonly pairs: number;
  /** An empty PostgreSQL database, which is dropped afterwards. */
  readonly databaseUrl: string;
  /** Disposed of when the benchmark ends, even after an error. */
  readonly parts: AsyncDisposableStack;
  readonly tell: (line: string) => void;
}

/** Throws if a single reply is wrong. */
export type Benchmark = (conditions: Conditions) => Promise<readonly Result[]>;
