import { Secret } from 'otpauth';
import { type Foundation, query } from '../../../platform/database/index.js';
import { conflict, invalidMember } from '../../../platform/kernel/errors.js';
import { hasFreshFactor, type Principal, requireSignedIn, type UserPrincipal } from '../../access/index.js';
import { recordOfAccount } from '../accounts/account.js';
import { endSessionsOfAccount, requireSessionStill } from '../sessions/sessions.js';
import { newTotpSecret, sealTotpSecret, totpStep, totpUri, withTotpSecret } from './totp.js';
import { factorsOf, requireOwnProof, settleFactors } from './factors-of-account.js';
import { admitAttempt, sessionAttempt, settleAttempt } from '../sign-in-limits/sign-in-failures.js';
import { verifyOwnPassword } from './verify-own-password.js';

export interface TotpEnrolment {
  /** Base32 (RFC 4648), for typing. */
  readonly secret: string;
  /** `otpauth:` URI, for a QR code. */
  readonly uri: string;
}

/** A new secret for the caller's authenticator. It is not stored, and has no effect, until {@link enableTotp}. */
export function proposeTotp(foundation: Foundation, principal: Principal | undefined): TotpEnrolment {
  const user = requireSignedIn(principal);
  const secret = newTotpSecret(foundation.random);
  return { secret: new Secret({ buffer: secret.slice().buffer }).base32, uri: totpUri(secret, user.email) };
}

/** Requires a code at each sign-in from now on, and ends all sessions of the account, which were opened without one. */
export async function enableTotp(
  foundation: Foundation,
  principal: Principal | undefined,
  input: { readonly password?: string | null | undefined; readonly secret: string; readonly totp: string },
  clientAddress: string,
): Promise<void> {
  const user = requireSignedIn(principal);
  const secret = parseSecret(input.secret);
  const step = totpStep(secret, input.totp, foundation.clock.now());
  if (step === undefined) throw invalidMember('totp', 'is not the current code of this secret');
  if ((await factorsOf(foundation.database, user.accountId)).totp)
    throw conflict('An authenticator is already enabled.');
  await requireOwnProof(foundation, user, input.password, clientAddress);
  const sealed = sealTotpSecret(foundation.sealer, user.accountId, secret);
  await replaceSecret(foundation, user, { before: null, after: sealed, step });
}

/** Requires no code anymore. Needs a code, and ends all sessions of the account. */
export async function disableTotp(
  foundation: Foundation,
  principal: Principal | undefined,
  input: { readonly password?: string | null | undefined; readonly totp: string },
  clientAddress: string,
): Promise<void> {
  const user = requireSignedIn(principal);
  const [row] = await foundation.database.rows(
    query.selectFrom('accounts').select('sealed_totp_secret as sealed').where('id', '=', user.accountId),
  );
  const before = row?.sealed ?? null;
  if (before === null) throw conflict('No authenticator is enabled.');
  const step = withTotpSecret(foundation.sealer, user.accountId, before, (secret) =>
    totpStep(secret, input.totp, foundation.clock.now()),
  );
  const proven = step !== undefined;
  const factors = await factorsOf(foundation.database, user.accountId);
  const password = input.password ?? '';
  const isOwner = factors.password
    ? (await verifyOwnPassword(foundation, user, password, clientAddress, proven)) !== undefined
    : await isFreshAndProven(foundation, user, clientAddress, proven);
  if (!isOwner)
    throw invalidMember('password', 'or totp is wrong', {
      denial: { event: 'password.refused', account: user.email },
    });
  if (step !== undefined) await replaceSecret(foundation, user, { before, after: null, step });
}

/** Without a password, a wrong code counts as a failed sign-in, too. A session that proved a factor is no place to guess codes. */
async function isFreshAndProven(
  foundation: Foundation,
  user: UserPrincipal,
  clientAddress: string,
  proven: boolean,
): Promise<boolean> {
  const attempt = sessionAttempt(foundation.sealer, user, clientAddress);
  await admitAttempt(foundation, attempt);
  const isOwner = proven && hasFreshFactor(user, foundation.clock.now());
  await settleAttempt(foundation, attempt, isOwner);
  return isOwner;
}

async function replaceSecret(
  foundation: Foundation,
  user: UserPrincipal,
  change: {
    readonly before: Uint8Array | null;
    readonly after: Uint8Array | null;
    readonly step: number;
  },
): Promise<void> {
  await foundation.database.transaction(async (transaction) => {
    const changed = await transaction.rows(
      query
        .updateTable('accounts')
        .set({ sealed_totp_secret: change.after, last_totp_step: change.step })
        .where('id', '=', user.accountId)
        .where('sealed_totp_secret', 'is not distinct from', change.before)
        .$if(change.before !== null, (account) =>
          account.where((row) =>
            row.or([row('last_totp_step', 'is', null), row('last_totp_step', '<', change.step)]),
          ),
        )
        .returning('id'),
    );
    if (changed.length === 0)
      throw conflict('The second factor was changed in the meantime, or the code was used before.');
    await requireSessionStill(transaction, user);
    if (change.after === null) await settleFactors(transaction, user.accountId);
    const now = foundation.clock.now();
    const event = change.after === null ? 'user.totp_disabled' : 'user.totp_enabled';
    await recordOfAccount(transaction, user.accountId, event, now);
    await endSessionsOfAccount(transaction, user.accountId, 'second_factor_changed', now);
  });
}

function parseSecret(text: string): Uint8Array {
  if (!/^[A-Z2-7]{32}$/.test(text)) {
    throw invalidMember('secret', 'must be a secret that proposeTotp returned: 32 characters of base32');
  }
  return Secret.fromBase32(text).bytes;
}
