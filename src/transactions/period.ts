import { badUserInput } from '../kernel/errors.js';

/** A span of time, both ends inside; an absent end is open. */
export interface Period {
  readonly from: Date | null;
  readonly to: Date | null;
}

export function parsePeriod(
  members: { readonly from: string; readonly to: string },
  from: Date | null | undefined,
  to: Date | null | undefined,
): Period {
  for (const [member, value] of [
    [members.from, from],
    [members.to, to],
  ] as const) {
    if (value && !isStorable(value)) {
      throw badUserInput(`${member} must be an ISO 8601 timestamp of the years 1 to 9999 in UTC.`);
    }
  }
  if (from && to && from > to) throw badUserInput(`${members.from} must not be after ${members.to}.`);
  return { from: from ?? null, to: to ?? null };
}

// Outside these years the database and ISO 8601 write a time in different ways.
function isStorable(time: Date): boolean {
  const year = time.getUTCFullYear();
  return year >= 1 && year <= 9999;
}
