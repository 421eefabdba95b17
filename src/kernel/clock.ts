/** Time is passed in, so that windows, expiries and receipts can be tested to the millisecond. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** ISO 8601 in UTC with milliseconds, the one form in which Lucarne writes a time. */
export function timestamp(date: Date): string {
  return date.toISOString();
}

const DAY_SECONDS = 24 * 60 * 60;
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

/** {@link timestamp} of whole Unix seconds, for many that are of the same days: a day's date is written once. */
export function timestampsOfSeconds(): (seconds: number) => string {
  let day = NaN;
  let date = '';
  return (seconds) => {
    const of = Math.floor(seconds / DAY_SECONDS);
    if (of !== day) {
      day = of;
      [date = ''] = timestamp(new Date(of * DAY_SECONDS * 1000)).split('T');
    }
    const second = seconds - of * DAY_SECONDS;
    const [hours, minutes] = [Math.floor(second / 3600), Math.floor(second / 60) % 60];
    return `${date}T${TWO_DIGITS[hours]}:${TWO_DIGITS[minutes]}:${TWO_DIGITS[second % 60]}.000Z`;
  };
}
