import {
  findSessions,
  hashSessionToken,
  newSessionToken,
  type SessionToken,
  type UserPrincipal,
} from '../../access/index.js';
import type { Sealer } from '../../../platform/crypto/index.js';
import { type Foundation, query, type Reader, type Transaction } from '../../../platform/database/index.js';
import { unauthenticated } from '../../../platform/kernel/errors.js';
import { foldEmail } from '../accounts/parse-email.js';
import type { RelyingParty } from '../passkeys/relying-party.js';
import { SIGN_IN_PURPOSE } from '../passkeys/challenge.js';
import { type GivenFactor, type ProvenFactor, proveFactor } from '../second-factor/prove-factor.js';
import { endPresentedSession, openSession } from '../sessions/sessions.js';
import { lockMembership, type Membership, membershipsOfEmail } from '../accounts/membership.js';
import { formsOf } from '../accounts/keyed-hash.js';
import { comparePassword, refuseWhileManyWait } from '../accounts/password.js';
import { knownDevice, newDeviceToken } from '../sign-in-limits/known-device.js';
import {
  admitAttempt,
  deviceAttempt,
  recordFailure,
  refuseLockedOut,
  serializeAttempts,
  signInAttempt,
} from '../sign-in-limits/sign-in-failures.js';

export interface SignInInput extends GivenFactor {
  readonly email: string;
  readonly password: string;
  /** The organization to sign in to. The default is the one with the person's last session. */
  readonly organizationId?: string | null | undefined;
}

/** A session that was opened. */
export interface SignedIn {
  readonly token: SessionToken;
  readonly principal: UserPrincipal;
  /** For the browser to store: see {@link newDeviceToken}. */
  readonly deviceToken: string;
}

/**
 * Opens a session for a member. Every wrong input is the same `UNAUTHENTICATED` in the same time; after too many attempts
 * or failures, `TOO_MANY_REQUESTS`. The browser's previous session ends.
 */
export async function signIn(
  foundation: Foundation,
  input: SignInInput,
  clientAddress: string,
  presentedToken?: string,
  deviceToken?: string,
  party: () => RelyingParty = noPasskeys,
): Promise<SignedIn> {
  const { clock, database, random, sealer } = foundation;
  const { email } = input;
  if (deviceToken === undefined) refuseWhileManyWait();
  const memberships = await findMemberships(database, email);
  const accountIds = memberships.map(({ accountId }) => accountId);
  const device = knownDevice(sealer, accountIds, deviceToken);
  const isOfDevice = ({ accountId }: AccountMembership) => accountId === device?.accountId;
  // The second check runs after a failure of the first even if there is no other account, so that the time does not reveal
  // whether one exists.
  const attempts = [
    ...(device ? [{ attempt: deviceAttempt(sealer, email, device), isTried: isOfDevice }] : []),
    {
      attempt: signInAttempt(sealer, email, clientAddress),
      isTried: (membership: AccountMembership) => !isOfDevice(membership),
    },
  ];
  if (!device) refuseWhileManyWait();
  let matches: PasswordMatches | undefined;
  for (const { attempt, isTried } of attempts) {
    await admitAttempt(foundation, attempt);
    matches ??= await comparePassword(sealer, input, { clientAddress, isKnown: device !== undefined });
    const proven = await firstProven(foundation, party, memberships.filter(isTried), input, matches);
    const token = newSessionToken(random);
    const opened = await database.transaction(async (transaction) => {
      const now = clock.now();
      await serializeAttempts(transaction, attempt);
      await refuseLockedOut(transaction, attempt, now);
      if (!proven || !(await confirmMembership(transaction, sealer, proven, now))) {
        await recordFailure(transaction, attempt, now);
        return false;
      }
      await endPresentedSession(transaction, presentedToken, proven.membership.organizationId, now);
      await openSession(transaction, foundation, {
        ...{ member: proven.membership, token, clientAddress, at: now },
        factorAt: proven.factor ? now : null,
      });
      return true;
    });
    const [session] = opened ? await findSessions(database, [hashSessionToken(token)]) : [];
    if (session) {
      const { principal } = session;
      return { token, principal, deviceToken: newDeviceToken(foundation, principal.accountId) };
    }
  }
  throw unauthenticated('The e-mail address, the password or the one-time code is wrong.', {
    denial: { event: 'sign_in.refused', account: email },
  });
}

type PasswordMatches = Awaited<ReturnType<typeof comparePassword>>;

const noPasskeys = (): never => {
  throw unauthenticated();
};

/** A membership of an e-mail address, and the credentials of its account. */
interface AccountMembership extends Membership {
  readonly passwordHash: string | null;
  readonly sealedTotpSecret: Uint8Array | null;
}

interface ProvenMembership {
  readonly membership: AccountMembership;
  /** Null if the account has no second factor. */
  readonly factor: ProvenFactor | null;
}

/** The memberships of every account of the address. Those with the latest session come first. */
async function findMemberships(reader: Reader, email: string): Promise<AccountMembership[]> {
  const found = await reader.rows(
    membershipsOfEmail(email).select([
      'accounts.password_hash as passwordHash',
      'accounts.sealed_totp_secret as sealedTotpSecret',
    ]),
  );
  return found.filter(({ accountEmail }) => foldEmail(accountEmail) === foldEmail(email));
}

async function firstProven(
  foundation: Foundation,
  party: () => RelyingParty,
  memberships: readonly AccountMembership[],
  input: SignInInput,
  matches: PasswordMatches,
): Promise<ProvenMembership | undefined> {
  const { organizationId } = input;
  for (const membership of memberships) {
    if (organizationId && membership.organizationId !== organizationId) continue;
    if (!(await matches(membership.passwordHash))) continue;
    if (!membership.hasSecondFactor) return { membership, factor: null };
    const factor = await proveFactor(foundation, party, membership, input, SIGN_IN_PURPOSE);
    if (factor) return { membership, factor };
  }
  return undefined;
}

/**
 * Whether the proof is still valid: password, second factor and membership are unchanged, and this sign-in uses the factor.
 * Locks them until the session exists.
 */
async function confirmMembership(
  transaction: Transaction,
  sealer: Sealer,
  { membership, factor }: ProvenMembership,
  at: Date,
): Promise<boolean> {
  const accounts = await transaction.rows(
    query
      .selectFrom('accounts')
      .select('id')
      .where('id', '=', membership.accountId)
      .where('password_hash', 'in', formsOf(sealer, membership.passwordHash))
      .where('sealed_totp_secret', 'is not distinct from', membership.sealedTotpSecret)
      .forNoKeyUpdate(),
  );
  if (accounts.length !== 1 || !(await lockMembership(transaction, membership))) return false;
  if (factor) return factor.use(transaction, at);
  const passkeys = await transaction.rows(
    query.selectFrom('passkeys').select('id').where('account_id', '=', membership.accountId).limit(1),
  );
  return passkeys.length === 0;
}
