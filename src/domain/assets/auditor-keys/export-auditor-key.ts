import { armor, Encrypter } from 'age-encryption';
import { formatElGamalKeypair } from '../../../platform/crypto/index.js';
import type { Foundation } from '../../../platform/database/index.js';
import { base64 } from '../../../platform/kernel/encoding/bytes.js';
import { forbidden, invalidMember, notFound, parseMembers } from '../../../platform/kernel/errors.js';
import { parseReason } from '../../../platform/kernel/text.js';
import { actingAs, actorOf, type Principal, requireProposer } from '../../access/index.js';
import { recordActivity } from '../../activity-log/index.js';
import { withSecondPerson } from '../../organizations/index.js';
import type { ExportAuditorKeyInput } from './auditor-key.type.js';
import { auditorKeysOf, withAuditorSecret } from './auditor-keys.js';
import { showAuditorKey, type ShownAuditorKey } from './list-auditor-keys.js';

const MAX_RECIPIENTS = 8;

/** An auditor key, with its keypair encrypted to the recipients. */
export interface ExportedAuditorKey extends ShownAuditorKey {
  /** An armored age file (C2SP age, version 1). It contains the keypair in the form that `parseElGamalKeypair` reads. */
  readonly ageFile: string;
}

/**
 * Exports an auditor key, encrypted to age recipients. Two owners must request the same key and recipients, regardless of
 * the organization's rule, and the operator must allow exports. The second owner receives the file.
 */
export async function exportAuditorKey(
  foundation: Foundation,
  principal: Principal | undefined,
  isAllowed: boolean,
  input: Readonly<ExportAuditorKeyInput>,
): Promise<ExportedAuditorKey> {
  const caller = requireProposer(foundation, principal, 'exportAuditorKey');
  if (!isAllowed)
    throw forbidden(
      'This gateway does not export auditor keys. Its operator can allow exports with LUCARNE_AUDITOR_KEY_EXPORT=1.',
    );
  const { organizationId } = caller;
  const { epoch } = input;
  const { reason, recipients } = parseMembers({
    reason: () => parseReason(input.reason),
    recipients: () => parseRecipients(input.recipients),
  });
  await requireUsable(input.recipients);
  const actor = actorOf(caller);
  const key = (await auditorKeysOf(foundation.database, organizationId)).find((one) => one.epoch === epoch);
  if (!key) throw notFound('auditor key');

  const proposal = { operation: 'exportAuditorKey', input: { epoch, recipients }, always: true } as const;
  return withSecondPerson(foundation, actingAs(caller), proposal, async (transaction) => {
    const { sealer, clock } = foundation;
    const file = await withAuditorSecret(transaction, sealer, organizationId, epoch, (secret) =>
      encrypterTo(recipients).encrypt(formatElGamalKeypair({ publicKey: key.publicKey, secret })),
    );
    await recordActivity(transaction, {
      organizationId,
      eventType: 'auditor_key.exported',
      actor,
      object: { type: 'auditor_key', epoch },
      details: { auditor_public_key: base64.encode(key.publicKey), recipients: recipients.join(' '), reason },
      at: clock.now(),
    });
    return { ...showAuditorKey(key), ageFile: armor.encode(file) };
  });
}

/** Recipients are deduplicated and sorted, so that two people who name the same recipients request the same export. */
function parseRecipients(recipients: readonly string[]): readonly string[] {
  if (recipients.length === 0 || recipients.length > MAX_RECIPIENTS)
    throw invalidMember('recipients', `must have 1 to ${MAX_RECIPIENTS} age recipients`);
  recipients.forEach((recipient, index) => {
    try {
      encrypterTo([recipient]);
    } catch {
      throw noRecipient(index);
    }
  });
  return [...new Set(recipients)].sort();
}

/** A recipient of small order is well-formed, but nothing can be encrypted to it. */
async function requireUsable(recipients: readonly string[]): Promise<void> {
  for (const [index, recipient] of recipients.entries())
    await encrypterTo([recipient])
      .encrypt('')
      .catch(() => {
        throw noRecipient(index);
      });
}

const noRecipient = (index: number) =>
  invalidMember(`recipients[${index}]`, 'must be an age recipient (age1…), as age-keygen prints it');

function encrypterTo(recipients: readonly string[]): Encrypter {
  const encrypter = new Encrypter();
  for (const recipient of recipients) encrypter.addRecipient(recipient);
  return encrypter;
}
