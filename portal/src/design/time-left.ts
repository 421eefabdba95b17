/** The time of a response, by two clocks. */
export interface Received {
  readonly steady: number;
  readonly wall: number;
}

export const receivedNow = (): Received => ({ steady: performance.now(), wall: Date.now() });

/**
 * Seconds since then, by the clock that advanced further: the monotonic clock stops while a machine sleeps, and the wall
 * clock can be set back. The larger value shows less access.
 */
export const elapsedSeconds = ({ steady, wall }: Received): number =>
  Math.max(performance.now() - steady, Date.now() - wall) / 1_000;

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** The color of the time left, which is never shown without words. */
export const toneOf = (left: number): 'good' | 'warn' | 'bad' =>
  left < HOUR_SECONDS ? 'bad' : left < DAY_SECONDS ? 'warn' : 'good';

const ANNOUNCED_SECONDS = [HOUR_SECONDS, 600, 60, 0];

/** Whether the time left is said aloud: at one hour, ten minutes, one minute and the end, or when it is next known. */
export const isAnnounced = (before: number, left: number): boolean =>
  ANNOUNCED_SECONDS.some((mark) => before > mark && left <= mark);
