import { recordActivity } from '../../activity-log/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { base64 } from '../../../platform/kernel/encoding/bytes.js';
import { conflict, invalidMember, parseMembers } from '../../../platform/kernel/errors.js';
import { parseReason } from '../../../platform/kernel/text.js';
import { actingAs, actorOf, type Principal, requireProposer } from '../../access/index.js';
import { withSecondPerson } from '../../organizations/index.js';
import {
  addAuditorKey,
  type AuditorKey,
  auditorKeysOf,
  currentOf,
  nextEpoch,
  requireFewKeysToday,
  requireRoomForKey,
} from './auditor-keys.js';
import type { RotateAuditorKeyInput } from './auditor-key.type.js';

/**
 * Creates the auditor key of the next epoch, which every asset then shows. A mint has it once its authority updates the
 * mint. The keys of earlier epochs are kept, because they decrypt what was encrypted to them.
 */
export async function rotateAuditorKey(
  foundation: Foundation,
  principal: Principal | undefined,
  input: Readonly<RotateAuditorKeyInput>,
): Promise<AuditorKey> {
  const caller = requireProposer(foundation, principal, 'rotateAuditorKey');
  const { organizationId } = caller;
  const { reason, fromEpoch } = parseMembers({
    reason: () => parseReason(input.reason),
    fromEpoch: () => parseEpoch(input.fromEpoch),
  });
  const keys = await auditorKeysOf(foundation.database, organizationId);
  const current = currentOf(keys);
  if (!current)
    throw conflict('The organization has no auditor key yet. Register an asset to create the first one.');
  if (fromEpoch !== undefined && fromEpoch !== current.epoch) throw rotatedMeanwhile();
  const epoch = nextEpoch(keys);
  requireRoomForKey(epoch);
  requireFewKeysToday(keys, foundation.clock.now());
  const acting = actingAs(caller);
  const proposal = { operation: 'rotateAuditorKey', input: { epoch } } as const;
  return withSecondPerson(foundation, acting, proposal, async (transaction) => {
    const key = await addAuditorKey(transaction, foundation, organizationId, epoch);
    if (!key) throw rotatedMeanwhile();
    await recordActivity(transaction, {
      organizationId,
      eventType: 'auditor_key.rotated',
      actor: actorOf(caller),
      object: { type: 'auditor_key', epoch },
      details: { auditor_public_key: base64.encode(key.publicKey), reason },
      at: key.createdAt,
    });
    return key;
  });
}

function parseEpoch(epoch: number | null | undefined): number | undefined {
  if (epoch == null) return undefined;
  if (!Number.isInteger(epoch) || epoch < 1)
    throw invalidMember('fromEpoch', 'must be the epoch of an auditor key');
  return epoch;
}

const rotatedMeanwhile = () =>
  conflict(
    'The auditor key was rotated in the meantime. Read auditorKeys, and rotate again only if you still need a newer key.',
  );
