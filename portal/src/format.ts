import { language, texts } from './texts.ts';

/** How people read numbers and times. The language is the page's; spelling of numbers and dates is the browser's. */
const browser = globalThis.navigator?.languages?.[0] ?? 'en';
const locale = browser.toLowerCase().startsWith(language) ? browser : language;

const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const [, { value: point } = { value: '.' }] = new Intl.NumberFormat(locale).formatToParts(0.5);

/** Base units as a decimal number, exact: no amount is ever a floating-point number. */
export function amountText(baseUnits: string, decimals: number): string {
  const digits = baseUnits.padStart(decimals + 1, '0');
  const units = whole.format(BigInt(digits.slice(0, digits.length - decimals)));
  return decimals === 0 ? units : `${units}${point}${digits.slice(-decimals)}`;
}

const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumSignificantDigits: 3 });
/** Base units, roughly: for the scale of a picture and nothing else. */
export const roughAmountText = (baseUnits: number, decimals: number): string =>
  compact.format(baseUnits / 10 ** decimals);

const instant = new Intl.DateTimeFormat(locale, {
  dateStyle: 'medium',
  timeStyle: 'medium',
  timeZone: 'UTC',
});
export const timeText = (time: number | string | Date) => `${instant.format(new Date(time))} UTC`;

const minute = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
export const minuteText = (time: number | string | Date) => `${minute.format(new Date(time))} UTC`;

const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: 'UTC' });
export const clockText = (time: number | Date) => `${clock.format(time)} UTC`;

const local = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'long' });
/** The same instant where the reader is. */
export const localText = (time: number | string | Date) => local.format(new Date(time));

const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
export const dayText = (date: string | number) =>
  day.format(new Date(typeof date === 'string' && date.length === 10 ? `${date}T00:00:00Z` : date));

/** A day that nothing beside it says to be one of UTC. */
export const utcDayText = (date: string | number) => `${dayText(date)} UTC`;

const shortDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
/** A day within a year, where little room is. */
export const shortDayText = (date: string) => shortDay.format(new Date(`${date}T00:00:00Z`));

const moment = new Intl.DateTimeFormat(locale, { timeStyle: 'medium', timeZone: 'UTC' });
/** The time, next to its day. */
export const momentText = (time: number | string | Date) => `${moment.format(new Date(time))} UTC`;

const count = new Intl.NumberFormat(locale);
export const countText = (value: number) => count.format(value);

const list = new Intl.ListFormat(locale, { type: 'conjunction' });
/** `a, b and c`. */
export const listText = (items: readonly string[]) => list.format(items);
const either = new Intl.ListFormat(locale, { type: 'disjunction' });
/** `a, b or c`. */
export const eitherText = (items: readonly string[]) => either.format(items);

const units = texts({ d: 'd', h: 'h', min: 'min', s: 's' }, { fr: { d: 'j', h: 'h', min: 'min', s: 's' } });

/** `2 d 3 h`, `3 h 07 min`, `4 min 09 s`: the two larger units. */
export function spanText(seconds: number): string {
  const [d, h, m, s] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
    Math.floor(seconds) % 60,
  ];
  const two = (value: number) => String(value).padStart(2, '0');
  if (d > 0) return `${d} ${units.d} ${h} ${units.h}`;
  if (h > 0) return `${h} ${units.h} ${two(m)} ${units.min}`;
  return `${m} ${units.min} ${two(s)} ${units.s}`;
}

/** An age, which nobody needs to the second: `2 d 3 h`, `3 h 07 min`, `4 min`, `< 1 min`. */
export const ageText = (seconds: number): string =>
  seconds < 60
    ? `< 1 ${units.min}`
    : seconds < 3_600
      ? `${Math.floor(seconds / 60)} ${units.min}`
      : spanText(seconds);

const precise = new Intl.NumberFormat(locale, { maximumSignificantDigits: 2 });
/** A duration that was measured: below a minute as seconds with their fraction, such as `0.42 s`. */
export const durationText = (seconds: number): string =>
  seconds < 60 ? `${precise.format(seconds)} ${units.s}` : spanText(seconds);

const bytes = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
export function sizeText(size: number): string {
  if (size < 1024) return `${size} B`;
  if (size < 1024 ** 2) return `${bytes.format(size / 1024)} KiB`;
  return `${bytes.format(size / 1024 ** 2)} MiB`;
}

/** An id, hash or key for the eyes: its first and last characters. */
export const shortText = (value: string, ends = 8): string =>
  value.length <= 2 * ends + 3 ? value : `${value.slice(0, ends)}…${value.slice(-ends)}`;
