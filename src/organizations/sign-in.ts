import { sql, type Foundation, type Reader, type Transaction } from '../database/index.js';
import { unauthenticated } from '../kernel/errors.js';
import type { Id } from '../kernel/ids.js';
import { foldEmail } from './parse-email.js';
import { dummyHash, verifyPassword } from './password.js';
import type { UserPrincipal } from './principal.js';
import { hashSessionToken, newSessionToken, type SessionToken } from './session-lifetime.js';
import { endPresentedSession, findSessions, openSession } from './sessions.js';
import { attemptKey, recordFailure, refuseLockedOut, serializeAttempts } from './sign-in-failures.js';
import { totpStep, withTotpSecret } from './totp.js';

export interface SignInInput {
  readonly email: string;
  readonly password: string;
  readonly totp?: string | null | undefined;
}

/**
 * Opens a session for a member. Every way of being wrong is the same `UNAUTHENTICATED` in the same time; after five
 * of them in a minute, for one account from one address, `TOO_MANY_REQUESTS`. The session that `presentedToken`
 * names is ended.
 */
export async function signIn(
  foundation: Foundation,
  input: SignInInput,
  clientAddress: string,
  presentedToken?: string,
): Promise<{ readonly token: SessionToken; readonly principal: UserPrincipal }> {
  const { clock, database, random } = foundation;
  const attempt = attemptKey(input.email, clientAddress);
  await dummyHash();
  await refuseLockedOut(database, attempt, clock.now());

  const account = await findAccount(database, input.email);
  const proven =
    (await verifyPassword(account?.passwordHash, input.password, clientAddress)) && account
      ? proveSecondFactor(foundation, account, input.totp ?? undefined)
      : undefined;

  const token = newSessionToken(random);
  const opened = await database.transaction(async (transaction) => {
    const now = clock.now();
    await serializeAttempts(transaction, attempt);
    await refuseLockedOut(transaction, attempt, now);
    if (!proven || !(await confirmAccount(transaction, proven))) {
      await recordFailure(transaction, attempt, now);
      return false;
    }
    await endPresentedSession(transaction, presentedToken, now);
    await openSession(transaction, proven.account, token, clientAddress, now);
    return true;
  });
  const [session] = opened ? await findSessions(database, [hashSessionToken(token)]) : [];
  if (!session) {
    throw unauthenticated('The e-mail address, the password or the one-time code is wrong.', {
      denial: { event: 'sign_in.refused', account: input.email },
    });
  }
  return { token, principal: session.principal };
}

interface Account {
  readonly userId: Id<'usr'>;
  readonly organizationId: Id<'org'>;
  readonly name: string;
  readonly email: string;
  readonly passwordHash: string | null;
  readonly sealedTotpSecret: Uint8Array | null;
}

interface ProvenAccount {
  readonly account: Account;
  /** The time step of the accepted code; null where the account has no second factor. */
  readonly totpStep: number | null;
}

async function findAccount(reader: Reader, email: string): Promise<Account | undefined> {
  const [account] = await reader.rows(sql<Account>`
    select u.id as "userId", m.organization_id as "organizationId", u.name, u.email,
      u.password_hash as "passwordHash", u.sealed_totp_secret as "sealedTotpSecret"
    from users u join memberships m on m.user_id = u.id
    where lower(u.email) = lower(${email})`);
  return account && foldEmail(account.email) === foldEmail(email) ? account : undefined;
}

function proveSecondFactor(
  foundation: Foundation,
  account: Account,
  code: string | undefined,
): ProvenAccount | undefined {
  const { sealedTotpSecret } = account;
  if (sealedTotpSecret === null) return { account, totpStep: null };
  if (code === undefined) return undefined;
  const step = withTotpSecret(foundation.sealer, account.userId, sealedTotpSecret, (secret) =>
    totpStep(secret, code, foundation.clock.now()),
  );
  return step === undefined ? undefined : { account, totpStep: step };
}

/**
 * Whether what was proven still holds: neither password, second factor nor membership changed meanwhile, and the
 * code's time step was not used before (RFC 6238 section 5.2). Locks them until the session is there.
 */
async function confirmAccount(transaction: Transaction, proven: ProvenAccount): Promise<boolean> {
  const { account, totpStep: step } = proven;
  const users = await transaction.rows(sql`
    update users set last_totp_step = coalesce(${step}::bigint, last_totp_step)
    where id = ${account.userId} and password_hash = ${account.passwordHash}
      and sealed_totp_secret is not distinct from ${account.sealedTotpSecret}::bytea
      and (${step}::bigint is null or coalesce(last_totp_step, -1) < ${step}::bigint)
    returning id`);
  const memberships = await transaction.rows(sql`
    select user_id from memberships
    where user_id = ${account.userId} and organization_id = ${account.organizationId} for share`);
  return users.length === 1 && memberships.length === 1;
}
