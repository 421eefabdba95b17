import { actingAs, actorOf, type Principal, requireProposer } from '../../access/index.js';
import {
  type LogSigningKey,
  logSigningKeys,
  replaceLostKey,
  requireLostKey,
  signLog,
} from '../../activity-log/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { parseMembers } from '../../../platform/kernel/errors.js';
import { parseInteger, parseReason } from '../../../platform/kernel/text.js';
import { withSecondPerson } from '../second-person/with-second-person.js';
import { MAX_EPOCH, rotatedMeanwhile } from './rotate-signing-key.js';
import type { DeclareSigningKeyLostInput } from './signing-key.type.js';

/**
 * Declares that the current key is lost, and creates the next one. The lost key cannot sign for its successor, so verifiers
 * that know only earlier keys need the new one from another source. The new key signs the waiting entries. Two owners must
 * declare it at least an hour apart, regardless of the organization's rule, and each declaration first checks whether the
 * key can sign.
 */
export async function declareSigningKeyLost(
  foundation: Foundation,
  principal: Principal | undefined,
  input: Readonly<DeclareSigningKeyLostInput>,
): Promise<LogSigningKey> {
  const caller = requireProposer(foundation, principal, 'declareSigningKeyLost');
  const { organizationId } = caller;
  const { reason, epoch } = parseMembers({
    epoch: () => parseInteger('epoch', input.epoch, 1, MAX_EPOCH),
    reason: () => parseReason(input.reason),
  });
  if (!(await requireLostKey(foundation, organizationId, epoch))) throw rotatedMeanwhile();
  const actor = actorOf(caller);
  const proposal = { operation: 'declareSigningKeyLost', input: { epoch }, always: true } as const;
  const change = { organizationId, actor, reason, at: foundation.clock.now() };
  return signLog(foundation, organizationId, true, (signing) =>
    withSecondPerson(foundation, actingAs(caller), proposal, async (transaction) => {
      if (!(await replaceLostKey(transaction, signing, change, { to: epoch + 1 }))) throw rotatedMeanwhile();
      return (await logSigningKeys(transaction, organizationId))[0];
    }),
  );
}
