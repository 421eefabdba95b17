import {
  actorOf,
  LegalHoldEntity,
  type Principal,
  requireOwnerPermission,
  requirePermissionStill,
  RETENTION_KINDS,
  type RetentionKind,
  lockOrganization,
} from '../../access/index.js';
import { recordActivity } from '../../activity-log/index.js';
import { type Foundation, query, valuesOf } from '../../../platform/database/index.js';
import { timestamp } from '../../../platform/kernel/clock.js';
import { parseOneOf } from '../../../platform/kernel/enums/enums.js';
import { conflict, invalidMember, parseMembers } from '../../../platform/kernel/errors.js';
import { newId } from '../../../platform/kernel/ids.js';
import { parseReason } from '../../../platform/kernel/text.js';
import { holdsInForce, type LegalHold } from './read-retention.js';
import type { PlaceLegalHoldInput } from './retention.type.js';

/** Maximum number of active holds per person, so that one person cannot keep others from placing holds. */
const MAX_LEGAL_HOLDS = 100;

/** Places a hold. After the commit, no data that it covers is deleted. One person is enough, because no data is lost by it. */
export async function placeLegalHold(
  foundation: Foundation,
  principal: Principal | undefined,
  input: Readonly<PlaceLegalHoldInput>,
): Promise<LegalHold> {
  const caller = requireOwnerPermission(principal, 'policies:manage');
  const { organizationId } = caller;
  const now = foundation.clock.now();
  const { reason, until, kinds } = parseMembers({
    reason: () => parseReason(input.reason),
    until: () => parseUntil(input.until ?? null, now),
    kinds: () => parseKinds(input.kinds),
  });
  const hold: LegalHold = {
    ...{ id: newId('hld'), organizationId, kinds, reason, until },
    ...{ placedBy: caller.userId, placedAt: now },
  };
  await foundation.database.transaction(async (transaction) => {
    // Serialized with running deletions.
    await lockOrganization(transaction, organizationId);
    await requirePermissionStill(transaction, caller, null, 'owner', 'policies:manage');
    const own = (await holdsInForce(transaction, organizationId)).filter(
      ({ placedBy }) => placedBy === caller.userId,
    );
    if (own.length >= MAX_LEGAL_HOLDS)
      throw conflict(
        `One person can have at most ${MAX_LEGAL_HOLDS} legal holds in force at the same time. Release one first.`,
      );
    await transaction.rows(
      query.insertInto('legal_holds').values(valuesOf(LegalHoldEntity, { ...hold, kinds: [...kinds] })),
    );
    await recordActivity(transaction, {
      organizationId,
      eventType: 'legal_hold.placed',
      actor: actorOf(caller),
      object: { type: 'legal_hold', id: hold.id },
      details: { kinds, until: until && timestamp(until), reason },
      at: now,
    });
  });
  return hold;
}

function parseUntil(until: Date | null, now: Date): Date | null {
  if (until !== null && !(until.getTime() > now.getTime()))
    throw invalidMember('until', 'must be in the future');
  return until;
}

function parseKinds(names: readonly string[] | null | undefined): readonly RetentionKind[] {
  if (names == null) return RETENTION_KINDS;
  if (names.length === 0) throw invalidMember('kinds', 'must name a kind, or be left out for all');
  const kinds = names.map((name, index) => parseOneOf(`kinds[${index}]`, RETENTION_KINDS, name));
  return RETENTION_KINDS.filter((kind) => kinds.includes(kind));
}
