import { EVENT_TYPES, isEventType, type ActivityFilters } from '../activity-log/index.js';
import { badUserInput } from '../kernel/errors.js';
import { parseId } from '../kernel/ids.js';
import type { JsonObject } from '../kernel/json.js';
import { isStorable } from '../kernel/text.js';

/** What a caller may ask a log for. Every member narrows. */
export interface ActivityFilterInput {
  readonly eventType?: string | null | undefined;
  readonly userId?: string | null | undefined;
  readonly caseId?: string | null | undefined;
  readonly from?: Date | null | undefined;
  readonly to?: Date | null | undefined;
}

const LONGEST_USER_ID = 128;

export function parseActivityFilters(input: ActivityFilterInput): Required<ActivityFilters> {
  const { eventType = null, userId = null, caseId = null, from = null, to = null } = input;
  if (eventType !== null && !isEventType(eventType))
    throw badUserInput(`eventType must be one of ${EVENT_TYPES.join(', ')}.`);
  if (userId !== null && (userId.length === 0 || userId.length > LONGEST_USER_ID || !isStorable(userId)))
    throw badUserInput('userId must be the id of who acted.');
  if (from && to && from > to) throw badUserInput('from must not be after to.');
  return { eventType, userId, caseId: caseId === null ? null : parseId('cas', 'caseId', caseId), from, to };
}

/** The filters as JSON, to bind cursors to them and to log what was exported. */
export function describeFilters({
  eventType,
  userId,
  caseId,
  from,
  to,
}: Required<ActivityFilters>): JsonObject {
  return {
    event_type: eventType,
    user_id: userId,
    case_id: caseId,
    from: from?.toISOString() ?? null,
    to: to?.toISOString() ?? null,
  };
}
