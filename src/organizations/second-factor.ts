import { Secret } from 'otpauth';
import { sql, type Foundation } from '../database/index.js';
import { badUserInput, conflict } from '../kernel/errors.js';
import { actorOf, requireUser, type Principal, type UserPrincipal } from './principal.js';
import { endSessionsOfUser } from './sessions.js';
import { newTotpSecret, sealTotpSecret, totpStep, totpUri, withTotpSecret } from './totp.js';
import { verifyOwnPassword } from './verify-own-password.js';

export interface TotpEnrolment {
  /** Base32 (RFC 4648), for typing. */
  readonly secret: string;
  /** `otpauth:` URI, for a QR code. */
  readonly uri: string;
}

/** A fresh secret for the caller's authenticator. It counts from {@link enableTotp} on, and is kept nowhere till then. */
export function proposeTotp(foundation: Foundation, principal: Principal | undefined): TotpEnrolment {
  const user = requireUser(principal);
  const secret = newTotpSecret(foundation.random);
  return { secret: new Secret({ buffer: secret.slice().buffer }).base32, uri: totpUri(secret, user.email) };
}

/** Requires a code at each sign-in from now on, and ends all of the caller's sessions, which were opened without. */
export async function enableTotp(
  foundation: Foundation,
  principal: Principal | undefined,
  input: { readonly password: string; readonly secret: string; readonly totp: string },
  clientAddress: string,
): Promise<void> {
  const user = requireUser(principal);
  const secret = parseSecret(input.secret);
  const step = totpStep(secret, input.totp, foundation.clock.now());
  if (step === undefined) throw badUserInput('totp is not the code of this secret now.');
  const passwordHash = await verifyOwnPassword(foundation, user, input.password, clientAddress);
  if (passwordHash === undefined)
    throw badUserInput('password is wrong.', { denial: { event: 'password.refused', account: user.email } });
  const sealed = sealTotpSecret(foundation.sealer, user.userId, secret);
  await replaceSecret(foundation, user, { passwordHash, before: null, after: sealed, step });
}

/** Asks for no code any more. It takes a code to do so, and ends all of the caller's sessions. */
export async function disableTotp(
  foundation: Foundation,
  principal: Principal | undefined,
  input: { readonly password: string; readonly totp: string },
  clientAddress: string,
): Promise<void> {
  const user = requireUser(principal);
  const [row] = await foundation.database.rows(sql<{ sealed: Uint8Array | null }>`
    select sealed_totp_secret as sealed from users where id = ${user.userId}`);
  const before = row?.sealed ?? null;
  if (before === null) throw conflict('No authenticator is enabled.');
  const step = withTotpSecret(foundation.sealer, user.userId, before, (secret) =>
    totpStep(secret, input.totp, foundation.clock.now()),
  );
  const proven = step !== undefined;
  const passwordHash = await verifyOwnPassword(foundation, user, input.password, clientAddress, proven);
  if (passwordHash === undefined || !proven)
    throw badUserInput('password or totp is wrong.', {
      denial: { event: 'password.refused', account: user.email },
    });
  await replaceSecret(foundation, user, { passwordHash, before, after: null, step });
}

async function replaceSecret(
  foundation: Foundation,
  user: UserPrincipal,
  change: {
    readonly passwordHash: string;
    readonly before: Uint8Array | null;
    readonly after: Uint8Array | null;
    readonly step: number;
  },
): Promise<void> {
  await foundation.database.transaction(async (transaction) => {
    const changed = await transaction.rows(sql`
      update users set sealed_totp_secret = ${change.after}::bytea, last_totp_step = ${change.step}::bigint
      where id = ${user.userId} and password_hash = ${change.passwordHash}
        and sealed_totp_secret is not distinct from ${change.before}::bytea
        and (${change.before}::bytea is null or coalesce(last_totp_step, -1) < ${change.step}::bigint)
      returning id`);
    if (changed.length === 0)
      throw conflict('The second factor is not what it was, or the code was used before.');
    await endSessionsOfUser(
      transaction,
      user.organizationId,
      user.userId,
      'second_factor_changed',
      actorOf(user),
      foundation.clock.now(),
    );
  });
}

function parseSecret(text: string): Uint8Array {
  if (!/^[A-Z2-7]{32}$/.test(text)) {
    throw badUserInput('secret must be one that was proposed: 32 characters of base32.');
  }
  return Secret.fromBase32(text).bytes;
}
