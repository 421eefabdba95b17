import type { Comparison } from './compare.ts';

/** One line of the table. */
export interface Result extends Comparison {
  readonly what: string;
  /** What a unit is, such as `requests`. */
  readonly unit: string;
  readonly reference: string;
  /** The ratio to reach, or the units a second where the reference does something else. Absent: it only explains. */
  readonly reach?: number | { readonly perSecond: number };
  /** Other figures of the same run, such as memory or latency, with their units. */
  readonly additional?: Readonly<Record<string, number | string>>;
}

export interface Conditions {
  /** Only whether it runs and every reply is right: least blocks, least data. What is measured then says nothing. */
  readonly quick: boolean;
  /** At least ten times as many rows, where the number of rows is measured. */
  readonly large: boolean;
  /** How many blocks of each arm. */
  readonly pairs: number;
  /** An empty PostgreSQL database, dropped afterwards. */
  readonly databaseUrl: string;
  /** Disposed of when the benchmark ends, however it does. */
  readonly parts: AsyncDisposableStack;
  readonly tell: (line: string) => void;
}

/** Throws when a single reply is wrong. */
export type Benchmark = (conditions: Conditions) => Promise<readonly Result[]>;
