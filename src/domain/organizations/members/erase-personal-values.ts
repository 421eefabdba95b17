import {
  type Caller,
  requireFreshFactor,
  requireNoLegalHold,
  requireOperatorOr,
} from '../../access/index.js';
import {
  beginErasure,
  completeErasure,
  type ErasedValues,
  isErasureUnderWay,
  requireFormerMember,
} from '../../activity-log/index.js';
import type { Foundation, Transaction } from '../../../platform/database/index.js';
import { parseIdOrNotFound } from '../../../platform/kernel/ids.js';
import { withSecondPerson } from '../second-person/with-second-person.js';

/**
 * Permanently erases a former member from the organization; a legal hold forbids it. It destroys the record of who did what,
 * so it requires two persons if a second person is required. An erasure that was interrupted continues without another decision.
 */
export async function erasePersonalValues(
  foundation: Foundation,
  caller: Caller,
  user: string,
): Promise<ErasedValues> {
  const acting = requireOperatorOr(caller, 'members:manage');
  requireFreshFactor(foundation, caller, 'erasePersonalValues');
  const { organizationId, actor } = acting;
  const userId = parseIdOrNotFound('usr', user);
  const mayErase = async (transaction: Transaction) => {
    await requireNoLegalHold(transaction, organizationId, 'personal_values');
    await requireFormerMember(transaction, organizationId, userId);
  };
  // An erasure that is impossible is not proposed either.
  await foundation.database.transaction(mayErase);
  const person = { organizationId, userId };
  const isDecided = await isErasureUnderWay(foundation.database, person);
  const proposal = { operation: 'erasePersonalValues', input: { userId }, onePerson: isDecided } as const;
  await withSecondPerson(foundation, acting, proposal, async (transaction) => {
    await mayErase(transaction);
    if (!isDecided) await beginErasure(transaction, person, { by: actor, at: foundation.clock.now() });
  });
  return (await completeErasure(foundation, person)) ?? { userId, entries: 0, values: 0 };
}
