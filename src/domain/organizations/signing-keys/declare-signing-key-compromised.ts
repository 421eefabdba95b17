import { actingAs, actorOf, type Principal, requireProposer } from '../../access/index.js';
import { type LogSigningKey, logSigningKeys, markKeyCompromised, signLog } from '../../activity-log/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { parseMembers } from '../../../platform/kernel/errors.js';
import { parseInteger, parseReason } from '../../../platform/kernel/text.js';
import { withSecondPerson } from '../second-person/with-second-person.js';
import { MAX_EPOCH } from './rotate-signing-key.js';
import type { DeclareSigningKeyCompromisedInput } from './signing-key.type.js';

/**
 * Declares that another party has an earlier signing key, from an index on. Verifiers then refuse larger checkpoints that
 * only this key signed. It stops signing immediately.
 */
export async function declareSigningKeyCompromised(
  foundation: Foundation,
  principal: Principal | undefined,
  input: Readonly<DeclareSigningKeyCompromisedInput>,
): Promise<LogSigningKey> {
  const caller = requireProposer(foundation, principal, 'declareSigningKeyCompromised');
  const { organizationId } = caller;
  const { reason, ...declared } = parseMembers({
    epoch: () => parseInteger('epoch', input.epoch, 1, MAX_EPOCH),
    fromIndex: () => parseInteger('fromIndex', input.fromIndex, 0, Number.MAX_SAFE_INTEGER),
    reason: () => parseReason(input.reason),
  });
  const actor = actorOf(caller);
  const proposal = { operation: 'declareSigningKeyCompromised', input: declared } as const;
  const change = { organizationId, actor, reason, at: foundation.clock.now() };
  return signLog(foundation, organizationId, true, (signing) =>
    withSecondPerson(foundation, actingAs(caller), proposal, async (transaction) => {
      await markKeyCompromised(transaction, signing, change, declared);
      const keys = await logSigningKeys(transaction, organizationId);
      return keys.find(({ epoch }) => epoch === declared.epoch)!;
    }),
  );
}
