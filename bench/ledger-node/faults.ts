/**
 * The faults of a node for one HTTP request: it cuts the connection before or during an answer, answers 429 or 500, answers
 * late, omits one answer of a batch, or lags behind the other provider.
 */
export type Fault = 'drop' | 'cut' | 'busy' | 'broken' | 'late' | 'partial' | 'stale';

/** The number of requests of a thousand that have each fault. */
export const FAULTS: Readonly<Record<Fault, number>> = {
  drop: 10,
  cut: 5,
  busy: 10,
  broken: 10,
  late: 20,
  partial: 10,
  stale: 10,
};

/** Has no common divisor with a thousand, so that every thousand requests have the same faults, scattered. */
const STRIDE = 617;

export function faultOf(request: number): Fault | undefined {
  let share = (request * STRIDE) % 1_000;
  for (const [fault, width] of Object.entries(FAULTS)) {
    if (share < width) return fault as Fault;
    share -= width;
  }
  return undefined;
}
