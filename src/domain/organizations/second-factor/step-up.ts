import { type Foundation, query } from '../../../platform/database/index.js';
import { badUserInput, invalidMember, unauthenticated } from '../../../platform/kernel/errors.js';
import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import { type Principal, requireOpenSession, requireSignedIn } from '../../access/index.js';
import type { PublicSite } from '../public-site.js';
import { relyingPartyOf } from '../passkeys/relying-party.js';
import { passkeysOf, requestOptions } from '../passkeys/verify-passkey.js';
import {
  admitAttempt,
  recordFailure,
  refuseLockedOut,
  serializeAttempts,
  sessionAttempt,
} from '../sign-in-limits/sign-in-failures.js';
import { type GivenFactor, proveFactor } from './prove-factor.js';

/** The options with which the caller's browser proves one of the caller's passkeys by {@link stepUp}. */
export async function proposeStepUp(
  foundation: Foundation,
  site: PublicSite,
  principal: Principal | undefined,
): Promise<JsonObject> {
  const { accountId, sessionId } = requireSignedIn(principal);
  const passkeys = await passkeysOf(foundation.database, accountId);
  const purpose = { purpose: 'step_up', binding: sessionId } as const;
  return requestOptions(foundation, relyingPartyOf(site.origin()), purpose, passkeys);
}

/** Proves a second factor in the session, where it is then fresh for five minutes. Failures count like those of a sign-in. */
export async function stepUp(
  foundation: Foundation,
  site: PublicSite,
  principal: Principal | undefined,
  factor: GivenFactor,
  clientAddress: string,
): Promise<void> {
  const user = requireSignedIn(principal);
  const { clock, database, sealer } = foundation;
  if (!factor.totp && !factor.recoveryCode && !factor.passkey)
    throw invalidMember('totp', 'or recoveryCode or passkey must be given');
  const attempt = sessionAttempt(sealer, user, clientAddress);
  await admitAttempt(foundation, attempt);
  const [account] = await database.rows(
    query
      .selectFrom('accounts')
      .select(['id as accountId', 'sealed_totp_secret as sealedTotpSecret'])
      .where('id', '=', user.accountId),
  );
  const purpose = { purpose: 'step_up', binding: user.sessionId } as const;
  const party = () => relyingPartyOf(site.origin());
  const proven = account && (await proveFactor(foundation, party, account, factor, purpose));
  const isProven = await database.transaction(async (transaction) => {
    const now = clock.now();
    await serializeAttempts(transaction, attempt);
    await refuseLockedOut(transaction, attempt, now);
    // Without a lock: other changes lock the account first.
    await requireOpenSession(transaction, user);
    if (!proven || !(await proven.use(transaction, now))) {
      await recordFailure(transaction, attempt, now);
      return false;
    }
    const kept = await transaction.rows(
      query
        .updateTable('sessions')
        .set({ factor_at: now })
        .where('id', '=', user.sessionId)
        .where('organization_id', '=', user.organizationId)
        .where('ended_at', 'is', null)
        .returning('id'),
    );
    if (kept.length === 0) throw unauthenticated();
    return true;
  });
  if (!isProven)
    throw badUserInput('The second factor is wrong.', {
      denial: { event: 'password.refused', account: user.email },
    });
}
