/**
 * What a node does wrong to one HTTP request: cuts the connection before an answer or within it, answers 429 or 500,
 * answers late, leaves one answer of a batch out, or lags behind the others.
 */
export type Fault = 'drop' | 'cut' | 'busy' | 'broken' | 'late' | 'partial' | 'stale';

/** How many of a thousand requests meet each. */
export const FAULTS: Readonly<Record<Fault, number>> = {
  drop: 10,
  cut: 5,
  busy: 10,
  broken: 10,
  late: 20,
  partial: 10,
  stale: 10,
};

/** A whole number without a common divisor with a thousand: every thousand requests meet the same faults, scattered. */
const STRIDE = 617;

export function faultOf(request: number): Fault | undefined {
  let share = (request * STRIDE) % 1_000;
  for (const [fault, width] of Object.entries(FAULTS)) {
    if (share < width) return fault as Fault;
    share -= width;
  }
  return undefined;
}
