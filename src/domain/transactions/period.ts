import { isStorableTime, UNSTORABLE_TIME } from '../../platform/kernel/clock.js';
import { invalidMember, invalidMembers } from '../../platform/kernel/errors.js';

/** A span of time with inclusive ends. Null is an open end. */
export interface Period {
  readonly from: Date | null;
  readonly to: Date | null;
}

export function parsePeriod(
  members: { readonly from: string; readonly to: string },
  from: Date | null | undefined,
  to: Date | null | undefined,
): Period {
  const invalid = (['from', 'to'] as const)
    .filter((end) => {
      const time = end === 'from' ? from : to;
      return time && !isStorableTime(time);
    })
    .map((end) => ({ member: members[end], problem: UNSTORABLE_TIME }));
  if (invalid.length > 0) throw invalidMembers(invalid);
  if (from && to && from > to) throw invalidMember(members.from, `must not be after ${members.to}`);
  return { from: from ?? null, to: to ?? null };
}
