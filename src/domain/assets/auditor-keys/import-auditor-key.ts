import { type ElGamalKeypair, parseElGamalKeypair } from '../../../platform/crypto/index.js';
import { type Foundation, type Transaction, violatedConstraint } from '../../../platform/database/index.js';
import { base64, equalBytes } from '../../../platform/kernel/encoding/bytes.js';
import { conflict, invalidMember, parseMembers } from '../../../platform/kernel/errors.js';
import { isId } from '../../../platform/kernel/ids.js';
import { parseReason } from '../../../platform/kernel/text.js';
import { type Caller, lockOrganization, requireOperatorOr } from '../../access/index.js';
import { recordActivity } from '../../activity-log/index.js';
import { withSecondPerson } from '../../organizations/index.js';
import {
  type AuditorKey,
  auditorKeysOf,
  nextEpoch,
  requireFewKeysToday,
  requireRoomForKey,
  storeAuditorKey,
} from './auditor-keys.js';

export interface AuditorKeyImport {
  /** The keypair as text in the form that {@link parseElGamalKeypair} reads. */
  readonly keypair: string;
  readonly reason: string;
}

/**
 * Imports an auditor key that was created elsewhere, so that amounts encrypted to it can be read. It gets an epoch, but no
 * asset shows it, and it does not claim mints, because others may have the secret. `begin` is called in its transaction.
 */
export async function importAuditorKey(
  foundation: Foundation,
  caller: Caller,
  input: AuditorKeyImport,
  begin?: (transaction: Transaction) => Promise<void>,
): Promise<AuditorKey> {
  const acting = requireOperatorOr(caller, 'policies:manage');
  const { organizationId, actor } = acting;
  const { reason, keypair } = parseMembers({
    reason: () => parseReason(input.reason),
    keypair: () => parseKeypair(input.keypair),
  });
  const auditorElGamalPubkey = base64.encode(keypair.publicKey);
  const proposal = { operation: 'importAuditorKey', input: { auditorElGamalPubkey } } as const;
  try {
    const known = await auditorKeysOf(foundation.database, organizationId);
    if (known.some(({ publicKey }) => equalBytes(publicKey, keypair.publicKey))) throw hasKeyAlready();
    return await withSecondPerson(foundation, acting, proposal, async (transaction) => {
      await begin?.(transaction);
      await lockOrganization(transaction, organizationId);
      const keys = await auditorKeysOf(transaction, organizationId);
      const epoch = nextEpoch(keys);
      requireRoomForKey(epoch);
      if (isId('usr', actor.id)) requireFewKeysToday(keys, foundation.clock.now());
      const key = await storeAuditorKey(transaction, foundation, {
        ...{ organizationId, epoch, keypair },
        imported: true,
      });
      if (!key) throw conflict('The auditor key was rotated in the meantime. Import the key again.');
      await recordActivity(transaction, {
        organizationId,
        eventType: 'auditor_key.imported',
        actor,
        object: { type: 'auditor_key', epoch },
        details: { auditor_public_key: auditorElGamalPubkey, reason },
        at: key.createdAt,
      });
      return key;
    });
  } catch (thrown) {
    if (violatedConstraint(thrown) === 'auditor_keys_public_key') throw hasKeyAlready();
    throw thrown;
  } finally {
    keypair.secret.fill(0);
  }
}

const hasKeyAlready = () => conflict('The organization already has this auditor key.');

function parseKeypair(text: string): ElGamalKeypair {
  try {
    return parseElGamalKeypair(text);
  } catch (thrown) {
    if (thrown instanceof RangeError) throw invalidMember('keypair', thrown.message);
    throw thrown;
  }
}
