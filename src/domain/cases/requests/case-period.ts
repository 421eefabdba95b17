import { invalidMember } from '../../../platform/kernel/errors.js';

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** The first day that a case covers, in UTC. It must not be after the last. */
export function parsePeriodFrom(value: unknown, to: unknown): string {
  const periodFrom = parseDate('periodFrom', value);
  if (isDate(to) && periodFrom > to) throw invalidMember('periodFrom', 'must not be after periodTo');
  return periodFrom;
}

/** The last day that a case covers, in UTC. */
export const parsePeriodTo = (value: unknown): string => parseDate('periodTo', value);

function parseDate(member: string, value: unknown): string {
  if (!isDate(value)) throw invalidMember(member, 'must be an ISO 8601 date, such as 2026-01-31');
  if (value < '0001') throw invalidMember(member, 'must be a date of the years 1 to 9999');
  return value;
}

function isDate(value: unknown): value is string {
  const time = typeof value === 'string' && DATE.test(value) ? Date.parse(`${value}T00:00:00Z`) : NaN;
  // Date parses 30 February as a day of March.
  return typeof value === 'string' && !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}
