/** Time is passed in so that tests control windows, expiries and receipts to the millisecond. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** Calls back once after `ms`, unless the returned function is called first. */
export type StartTimer = (ms: number, callback: () => void) => () => void;

export const systemTimer: StartTimer = (ms, callback) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};

/** ISO 8601 in UTC with milliseconds. Lucarne writes every time in this form. */
export function timestamp(date: Date): string {
  return date.toISOString();
}

/** Whether databases and ISO 8601 write the time the same way: they do in the years 1 to 9999. */
export function isStorableTime(time: Date): boolean {
  const year = time.getUTCFullYear();
  return year >= 1 && year <= 9999;
}

/** The error for a time that cannot be stored. */
export const UNSTORABLE_TIME = 'must be an ISO 8601 timestamp of the years 1 to 9999 in UTC';

const DAY_SECONDS = 24 * 60 * 60;
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

/** Returns {@link timestamp} for whole Unix seconds. It formats each day once, so that many times of one day are fast. */
export function timestampsOfSeconds(): (seconds: number) => string {
  let day = NaN;
  let date = '';
  return (seconds) => {
    const currentDay = Math.floor(seconds / DAY_SECONDS);
    if (currentDay !== day) {
      day = currentDay;
      [date = ''] = timestamp(new Date(day * DAY_SECONDS * 1000)).split('T');
    }
    const second = seconds - day * DAY_SECONDS;
    const [hours, minutes] = [Math.floor(second / 3600), Math.floor(second / 60) % 60];
    return `${date}T${TWO_DIGITS[hours]}:${TWO_DIGITS[minutes]}:${TWO_DIGITS[second % 60]}.000Z`;
  };
}
