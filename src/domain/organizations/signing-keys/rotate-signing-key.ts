import { actingAs, actorOf, type Principal, requireProposer } from '../../access/index.js';
import { type LogSigningKey, logSigningKeys, replaceSigningKey, signLog } from '../../activity-log/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { conflict, parseMembers } from '../../../platform/kernel/errors.js';
import { parseInteger, parseReason } from '../../../platform/kernel/text.js';
import { withSecondPerson } from '../second-person/with-second-person.js';
import type { RotateSigningKeyInput } from './signing-key.type.js';

const DEFAULT_OVERLAP_DAYS = 30;
const MAX_OVERLAP_DAYS = 365;
export const MAX_EPOCH = 2_147_483_647;

/**
 * Creates the next signing key of the organization. The old key signs the entry that names it, and checkpoints for some more
 * days. Anyone who knows the old key can follow the log to the new one.
 */
export async function rotateSigningKey(
  foundation: Foundation,
  principal: Principal | undefined,
  input: Readonly<RotateSigningKeyInput>,
): Promise<LogSigningKey> {
  const caller = requireProposer(foundation, principal, 'rotateSigningKey');
  const { organizationId } = caller;
  const { reason, fromEpoch, overlapDays } = parseMembers({
    reason: () => parseReason(input.reason),
    fromEpoch: () =>
      input.fromEpoch == null ? undefined : parseInteger('fromEpoch', input.fromEpoch, 1, MAX_EPOCH),
    overlapDays: () =>
      parseInteger('overlapDays', input.overlapDays ?? DEFAULT_OVERLAP_DAYS, 0, MAX_OVERLAP_DAYS),
  });
  const [newest] = await logSigningKeys(foundation.database, organizationId);
  if (fromEpoch !== undefined && fromEpoch !== newest.epoch) throw rotatedMeanwhile();

  const actor = actorOf(caller);
  const to = newest.epoch + 1;
  const proposal = { operation: 'rotateSigningKey', input: { epoch: to, overlapDays } } as const;
  const change = { organizationId, actor, reason, at: foundation.clock.now() };
  return signLog(foundation, organizationId, true, (signing) =>
    withSecondPerson(foundation, actingAs(caller), proposal, async (transaction) => {
      if (!(await replaceSigningKey(transaction, signing, change, { to, overlapDays })))
        throw rotatedMeanwhile();
      return (await logSigningKeys(transaction, organizationId))[0];
    }),
  );
}

export const rotatedMeanwhile = () =>
  conflict(
    'The signing key was rotated in the meantime. Read logSigningKeys, and rotate again only if you still need a newer key.',
  );
