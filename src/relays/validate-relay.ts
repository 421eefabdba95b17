import { screenAddress, screenWithoutApplication, type AddressCheck } from '../checks/index.js';
import type { JsonObject } from '../kernel/json.js';
import { unreachable } from '../kernel/unreachable.js';
import { askNullifiers } from './nullifier-accounts.js';
import { foundNothing, rejected, type RelayContext, type RelayStep, type RelayWork } from './relay-step.js';

export type Validation =
  | { readonly kind: 'valid'; readonly evidence: JsonObject }
  | { readonly kind: 'not_valid'; readonly step: RelayStep };

/** Whether the relayer may serve the request: its recipient is approved, and its nullifiers are not spent. */
export async function validateRelay(context: RelayContext, work: RelayWork): Promise<Validation> {
  const checks = await screenRecipient(context, work);
  const checkIds = checks.map(({ id }) => id);
  const objection = checks.find(({ approved }) => !approved);
  if (objection?.reason === 'screening_unavailable')
    return notValid(foundNothing('screening_unavailable', { checks: checkIds }));
  if (objection) return notValid(rejected('kyt_rejected', { checks: checkIds, reason: objection.reason }));

  const { spent, evidence } = await askNullifiers(context, work, 'finalized');
  const asked = { checks: checkIds, nullifiers: evidence };
  switch (spent.kind) {
    case 'agreed':
      return spent.value
        ? notValid(rejected('nullifiers_spent', asked))
        : { kind: 'valid', evidence: { ...asked, validated: true } };
    case 'unknown':
      return notValid(foundNothing('providers_silent', asked));
    case 'disagreement':
      return notValid(foundNothing('providers_disagree', asked));
    default:
      return unreachable(spent);
  }
}

const notValid = (step: RelayStep): Validation => ({ kind: 'not_valid', step });

/**
 * Each hinted application decides whether it deals with the recipient; without one, the screening steps alone do. Every
 * check is recorded; the first that does not approve is the last.
 */
async function screenRecipient(
  { checkDesk }: RelayContext,
  { given: { recipient, applicationIdHints }, pool: { screening } }: RelayWork,
): Promise<AddressCheck[]> {
  if (recipient === null) return [];
  const subject = { network: 'solana', address: recipient } as const;
  const applications = screening.applicationIdHints ? [...new Set(applicationIdHints)] : [];
  const checks: AddressCheck[] = [];
  for (const applicationId of applications) {
    const check = await screenAddress(checkDesk, { ...subject, applicationId });
    checks.push(check);
    if (!check.approved) return checks;
  }
  if (applications.length === 0 && screening.recipient)
    checks.push(await screenWithoutApplication(checkDesk, subject));
  return checks;
}
