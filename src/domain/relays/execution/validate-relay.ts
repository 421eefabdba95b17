import { screenForPool, type AddressCheck } from '../../checks/index.js';
import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import { unreachable } from '../../../platform/kernel/unreachable.js';
import { reconciling } from './look-at-attempts.js';
import { askNullifiers } from './ask-nullifiers.js';
import { foundNothing, rejected, type RelayContext, type RelayStep, type RelayWork } from './relay-step.js';

export type Validation =
  | { readonly kind: 'valid'; readonly evidence: JsonObject }
  | { readonly kind: 'not_valid'; readonly step: RelayStep };

/** Whether the relayer may serve the request: its recipient is approved and its nullifiers are free. */
export async function validateRelay(context: RelayContext, work: RelayWork): Promise<Validation> {
  const checks = await screenRecipient(context, work);
  const checkIds = checks.map(({ id }) => id);
  const objection = checks.find(({ approved }) => !approved);
  if (objection?.reason === 'screening_unavailable')
    return notValid(foundNothing('screening_unavailable', { checks: checkIds }));
  if (objection) return notValid(rejected('kyt_rejected', { checks: checkIds, reason: objection.reason }));

  const { spent, isFreeToTry, evidence, leftOut } = await askNullifiers(context, work, 'finalized');
  const asked = { checks: checkIds, nullifiers: evidence, leftOut };
  if (isFreeToTry) return { kind: 'valid', evidence: { ...asked, validated: true } };
  switch (spent.kind) {
    case 'agreed':
      if (!spent.value) return { kind: 'valid', evidence: { ...asked, validated: true } };
      return notValid(spentStep(context, work, asked));
    case 'unknown':
      return notValid(foundNothing('providers_silent', asked));
    case 'disagreement':
      return notValid(foundNothing('providers_disagree', asked));
    default:
      return unreachable(spent);
  }
}

/**
 * What follows if nullifiers are spent before an attempt is signed. If a transaction of an earlier attempt may have spent them,
 * only the ledger can decide.
 */
export function spentStep(context: RelayContext, { attempts }: RelayWork, evidence: JsonObject): RelayStep {
  const suspect = attempts.findLast(({ outcome }) => outcome !== 'failed');
  if (!suspect) return rejected('nullifiers_spent', evidence);
  return { kind: 'change', change: reconciling('spent_before_signing', suspect, evidence, context) };
}

const notValid = (step: RelayStep): Validation => ({ kind: 'not_valid', step });

/** The pool decides who screens the recipient and its derived accounts. A package cannot leave out a screening application. */
function screenRecipient(
  { checkDesk }: RelayContext,
  { relayPackage, pool }: RelayWork,
): Promise<AddressCheck[]> {
  const { applications, applicationIdHints, recipient } = pool.screening;
  return screenForPool(checkDesk, {
    network: 'solana',
    addresses: relayPackage.recipient === null ? [] : [relayPackage.recipient],
    applications: applications === '*' ? relayPackage.applicationIdHints : applications,
    hints: applicationIdHints || applications === '*' ? relayPackage.applicationIdHints : [],
    screensWithoutApplication: recipient,
  });
}
