import { actorOf, type Principal, requireFreshFactor, requireOwnerPermission } from '../../access/index.js';
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

/** A store that is away for a moment has lost nothing: no signature at the proposal, and none so much later. */
const MIN_AWAY_MS = 60 * 60_000;

/**
 * Declares that nobody has the key in use anymore, and makes the next one, which the lost key cannot sign for: a verifier who
 * knows only keys of before needs the new one from elsewhere. What waits in the log is signed by the new key. Two owners declare
 * it, whatever the organization's rule is, at least an hour apart, and each time the key is asked whether it signs.
 */
export async function declareSigningKeyLost(
  foundation: Foundation,
  principal: Principal | undefined,
  input: Readonly<DeclareSigningKeyLostInput>,
): Promise<LogSigningKey> {
  const caller = requireOwnerPermission(principal, 'policies:manage');
  requireFreshFactor(foundation, caller, 'declareSigningKeyLost');
  const { organizationId } = caller;
  const { reason, epoch } = parseMembers({
    epoch: () => parseInteger('epoch', input.epoch, 1, MAX_EPOCH),
    reason: () => parseReason(input.reason),
  });
  if (!(await requireLostKey(foundation, organizationId, epoch))) throw rotatedMeanwhile();
  const actor = actorOf(caller);
  const rule = { always: true, waitMs: MIN_AWAY_MS };
  const proposal = { operation: 'declareSigningKeyLost', input: { epoch }, ...rule } as const;
  const change = { organizationId, actor, reason, at: foundation.clock.now() };
  return signLog(foundation, organizationId, true, (signing) =>
    withSecondPerson(foundation, { organizationId, actor }, proposal, async (transaction) => {
      if (!(await replaceLostKey(transaction, signing, change, { to: epoch + 1 }))) throw rotatedMeanwhile();
      return (await logSigningKeys(transaction, organizationId))[0];
    }),
  );
}
