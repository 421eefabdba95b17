import type { Foundation } from '../../platform/database/index.js';
import { forbidden } from '../../platform/kernel/errors.js';
import type { Caller } from './operator.js';
import type { UserPrincipal } from './principal.js';

/** How long a second factor counts as fresh after it was proven. */
export const FRESH_FACTOR_MS = 5 * 60_000;

/**
 * The operations that require a fresh second factor, in an organization that requires one: those that decide, and those
 * that cannot be undone. A test compares the list with the mutations of the schema, and calls each.
 *
 * Operations that take access away are not included, so that a leaked API key can be revoked immediately. The harm of a
 * stolen session that revokes keys can be repaired with new keys.
 */
export const NEEDS_FRESH_FACTOR = [
  'approveCaseRequest',
  'closeCaseRequest',
  'addCaseAuditor',
  'decideDisclosure',
  'createDisclosurePolicy',
  'approveAddress',
  'setAddressDefault',
  'createApiKey',
  'updateOrganization',
  'assignAsset',
  'unbindMint',
  'rotateAuditorKey',
  'exportAuditorKey',
  'importAuditorKey',
  'rotateSigningKey',
  'declareSigningKeyCompromised',
  'declareSigningKeyLost',
  'setRetention',
  'releaseLegalHold',
  'inviteMember',
  'setPermissions',
  'confirmPermissionGrant',
  'resetMemberSignIn',
  'removeMember',
  'erasePersonalValues',
] as const;

export type FreshFactorOperation = (typeof NEEDS_FRESH_FACTOR)[number];

/**
 * Operations that cannot be undone require a fresh factor from everyone who proved one in the session, even if the
 * organization does not require a second factor.
 */
const ASKED_OF_ALL_WITH_A_FACTOR: ReadonlySet<FreshFactorOperation> = new Set(['erasePersonalValues']);

/** Throws `FORBIDDEN` (`fresh_factor_required`) if the organization requires a second factor and this one is not fresh. */
export function requireFreshFactor(
  { clock }: Pick<Foundation, 'clock'>,
  caller: Caller,
  operation: FreshFactorOperation,
): void {
  if (caller?.kind !== 'user') return;
  const hasProvenOne = caller.factorAt !== null && ASKED_OF_ALL_WITH_A_FACTOR.has(operation);
  if (!caller.isFactorRequired && !hasProvenOne) return;
  if (!hasFreshFactor(caller, clock.now())) throw freshFactorRequired(operation);
}

export const hasFreshFactor = ({ factorAt }: UserPrincipal, at: Date): boolean =>
  factorAt !== null && at.getTime() - factorAt.getTime() < FRESH_FACTOR_MS;

export const freshFactorRequired = (operation = 'This') =>
  forbidden(
    `${operation} needs a second factor that was proven within the last 5 minutes. Prove yours again with stepUp.`,
    {
      reason: 'fresh_factor_required',
    },
  );
