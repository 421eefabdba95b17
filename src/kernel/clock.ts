/** Time is passed in, so that windows, expiries and receipts can be tested to the millisecond. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** ISO 8601 in UTC with milliseconds, the one form in which Lucarne writes a time. */
export function timestamp(date: Date): string {
  return date.toISOString();
}
