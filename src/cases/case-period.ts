import { badUserInput } from '../kernel/errors.js';

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** The days that a case covers, both whole, in UTC. */
export function parsePeriodDates(
  from: unknown,
  to: unknown,
): { readonly periodFrom: string; readonly periodTo: string } {
  const periodFrom = parseDate('periodFrom', from);
  const periodTo = parseDate('periodTo', to);
  if (periodFrom > periodTo) throw badUserInput('periodFrom must not be after the end of the period.');
  return { periodFrom, periodTo };
}

function parseDate(member: string, value: unknown): string {
  const time = typeof value === 'string' && DATE.test(value) ? Date.parse(`${value}T00:00:00Z`) : NaN;
  // 30 February is parsed as a day of March.
  if (typeof value !== 'string' || Number.isNaN(time) || !new Date(time).toISOString().startsWith(value)) {
    throw badUserInput(`${member} must be an ISO 8601 date, such as 2026-01-31.`);
  }
  if (value < '0001') throw badUserInput(`${member} must be a date of the years 1 to 9999.`);
  return value;
}
