import { INVARIANTS, type Invariant } from './oracle.ts';
import type { Outcome } from './world.ts';

/** Sums over simulations. */
export class Totals {
  readonly #began = performance.now();
  simulations = 0;
  simulatedMs = 0;
  leaptMs = 0;
  crashes = 0;
  faults = 0;
  requests = 0;
  waits = 0;
  statements = 0;
  readonly ends: Record<string, number> = {};

  add(outcome: Outcome): void {
    this.simulations += 1;
    this.simulatedMs += outcome.simulatedMs;
    this.leaptMs += outcome.leaptMs;
    this.crashes += outcome.crashes;
    this.faults += outcome.faults;
    this.requests += outcome.requests;
    this.waits += outcome.waits;
    this.statements += outcome.statements;
    for (const [end, count] of Object.entries(outcome.ends)) this.ends[end] = (this.ends[end] ?? 0) + count;
  }

  get seconds(): number {
    return (performance.now() - this.#began) / 1000;
  }

  toString(): string {
    const ends = Object.entries(this.ends)
      .toSorted(([, one], [, other]) => other - one)
      .map(([end, count]) => `${count} ${end}`);
    return [
      `${this.simulations} simulations, ${describeTime(this.simulatedMs)} of simulated time in ${Math.round(this.seconds)} s; ${describeTime(this.simulatedMs - this.leaptMs)} of it executed`,
      `${this.waits} waits of processes, ${this.statements} statements, ${this.crashes} crashes, ${this.faults} other faults`,
      `${this.requests} requests: ${ends.join(', ')}`,
    ].join('\n');
  }
}

export function describeTime(durationMs: number): string {
  const hours = durationMs / 3_600_000;
  if (hours < 48) return `${hours.toFixed(1)} hours`;
  return hours < 24 * 730 ? `${(hours / 24).toFixed(1)} days` : `${(hours / 24 / 365).toFixed(2)} years`;
}

/** Everything that is needed to understand and repeat a failure. */
export function describeViolation({ seed, steps, simulatedMs, violation }: Outcome): string {
  const { invariant, message, trace } = violation!;
  const rule = INVARIANTS[invariant as Invariant];
  return [
    `Seed ${seed} breaks an invariant at step ${steps}, after ${(simulatedMs / 1000).toFixed(3)} s of simulated time.`,
    `  invariant  ${invariant}: ${rule}`,
    `  found      ${message}`,
    `  repeat     npm run simulate -- --seed ${seed} --trace`,
    `The last ${trace.length} events:`,
    ...trace.map((line) => `  ${line}`),
  ].join('\n');
}
