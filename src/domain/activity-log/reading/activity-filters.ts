import { GATEWAY, OPERATOR } from '../../access/index.js';
import { EVENT_TYPES } from '../event-types.js';
import type { ActivityFilters } from './select-activity.js';
import { isStorableTime, UNSTORABLE_TIME } from '../../../platform/kernel/clock.js';
import { parseOptionalOneOf } from '../../../platform/kernel/enums/enums.js';
import { invalidMember, parseMembers } from '../../../platform/kernel/errors.js';
import { parseText } from '../../../platform/kernel/text.js';
import { isId, parseId } from '../../../platform/kernel/ids.js';
import type { JsonObject } from '../../../platform/kernel/encoding/json.js';

/** Filters of a log. Each member restricts the result. */
export interface ActivityFilterInput {
  readonly eventType?: string | null | undefined;
  readonly userId?: string | null | undefined;
  readonly objectId?: string | null | undefined;
  readonly caseId?: string | null | undefined;
  readonly from?: Date | null | undefined;
  readonly to?: Date | null | undefined;
}

/** Actors that are neither people nor API keys. */
const SERVICES = [OPERATOR.id, GATEWAY.id];

/** For `parseMembers`: a parser of each filter. */
export const activityFilterParsers = (input: ActivityFilterInput) => ({
  eventType: () => parseOptionalOneOf('eventType', EVENT_TYPES, input.eventType) ?? null,
  userId: () => parseActorId('userId', input.userId),
  objectId: () => (input.objectId == null ? null : parseText('objectId', input.objectId, 128)),
  caseId: () => (input.caseId == null ? null : parseId('cas', 'caseId', input.caseId)),
  from: () => {
    const { from, to } = input;
    if (from && to && from > to) throw invalidMember('from', 'must not be after to');
    return parseTime('from', from);
  },
  to: () => parseTime('to', input.to),
});

function parseTime(member: string, time: Date | null | undefined): Date | null {
  if (time && !isStorableTime(time)) throw invalidMember(member, UNSTORABLE_TIME);
  return time ?? null;
}

export function parseActivityFilters(input: ActivityFilterInput): Required<ActivityFilters> {
  return parseMembers<Required<ActivityFilters>>(activityFilterParsers(input));
}

function parseActorId(member: string, value: string | null | undefined): string | null {
  if (value == null) return null;
  if (isId('usr', value) || isId('key', value) || SERVICES.includes(value)) return value;
  throw invalidMember(member, `must be the id of a user, an API key or ${SERVICES.join(' or ')}`);
}

/** The filters as JSON. Cursors are bound to them, and the log entry of an export contains them. */
export function describeFilters({
  eventType,
  userId,
  objectId,
  caseId,
  from,
  to,
}: Required<ActivityFilters>): JsonObject {
  return {
    event_type: eventType,
    user_id: userId,
    object_id: objectId,
    case_id: caseId,
    from: from?.toISOString() ?? null,
    to: to?.toISOString() ?? null,
  };
}
