import { actingAs, actorOf, type Principal, lockOrganization, requireProposer } from '../../access/index.js';
import { recordActivity } from '../../activity-log/index.js';
import { type Foundation, query, type Reader } from '../../../platform/database/index.js';
import { notFound, parseMembers } from '../../../platform/kernel/errors.js';
import { parseIdOrNotFound } from '../../../platform/kernel/ids.js';
import { parseReason } from '../../../platform/kernel/text.js';
import { withSecondPerson } from '../second-person/with-second-person.js';
import { holdsInForce, type LegalHold } from './read-retention.js';
import type { ReleaseLegalHoldInput } from './retention.type.js';

/** Releases an active hold. The data that it covered is deleted when due. */
export async function releaseLegalHold(
  foundation: Foundation,
  principal: Principal | undefined,
  input: Readonly<ReleaseLegalHoldInput>,
): Promise<LegalHold> {
  const caller = requireProposer(foundation, principal, 'releaseLegalHold');
  const { organizationId } = caller;
  const { reason } = parseMembers({ reason: () => parseReason(input.reason) });
  const id = parseIdOrNotFound('hld', input.id);
  const find = async (reader: Reader) => {
    const hold = (await holdsInForce(reader, organizationId)).find((other) => other.id === id);
    if (!hold) throw notFound('legal hold that is in force');
    return hold;
  };
  await find(foundation.database);

  const actor = actorOf(caller);
  const proposal = { operation: 'releaseLegalHold', input: { id } } as const;
  return withSecondPerson(foundation, actingAs(caller), proposal, async (transaction) => {
    await lockOrganization(transaction, organizationId);
    const hold = await find(transaction);
    const now = foundation.clock.now();
    await transaction.rows(
      query
        .updateTable('legal_holds')
        .set({ released_at: now })
        .where('organization_id', '=', organizationId)
        .where('id', '=', id),
    );
    await recordActivity(transaction, {
      organizationId,
      eventType: 'legal_hold.released',
      actor,
      object: { type: 'legal_hold', id },
      details: { kinds: hold.kinds, reason },
      at: now,
    });
    return hold;
  });
}
