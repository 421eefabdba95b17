import { countInWindows, type Foundation, type Reader } from '../../../platform/database/index.js';
import { clientNetwork } from '../../../platform/kernel/client-network.js';
import { unauthenticated } from '../../../platform/kernel/errors.js';
import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { findSessions, hashSessionToken, newSessionToken } from '../../access/index.js';
import type { PublicSite } from '../public-site.js';
import { endPresentedSession, openSession } from '../sessions/sessions.js';
import { lockMembership, memberships } from '../accounts/membership.js';
import { newDeviceToken } from '../sign-in-limits/known-device.js';
import type { SignedIn } from './sign-in.js';
import { SIGN_IN_PURPOSE } from '../passkeys/challenge.js';
import { relyingPartyOf } from '../passkeys/relying-party.js';
import { provePasskey, requestOptions, usePasskey } from '../passkeys/verify-passkey.js';

const MAX_ATTEMPTS_PER_CLIENT = 60;

/** The options with which a browser signs in with a passkey. They identify nobody: the authenticator knows its owner. */
export function proposePasskeySignIn(foundation: Foundation, site: PublicSite): Promise<JsonObject> {
  return requestOptions(foundation, relyingPartyOf(site.origin()), SIGN_IN_PURPOSE);
}

/**
 * Opens a session with a passkey, which counts as both factors: the possession of the authenticator, and its unlocking. Any
 * error is the same `UNAUTHENTICATED`. Failed passwords do not delay it, because a signature cannot be guessed.
 */
export async function signInWithPasskey(
  foundation: Foundation,
  site: PublicSite,
  input: { readonly response: JsonObject; readonly organizationId?: string | null | undefined },
  clientAddress: string,
  presentedToken?: string,
): Promise<SignedIn> {
  const { clock, database, random } = foundation;
  await countInWindows(foundation, [
    { key: `sign-in:passkey:${clientNetwork(clientAddress)}`, limit: MAX_ATTEMPTS_PER_CLIENT },
  ]);
  const proven = await provePasskey(
    foundation,
    relyingPartyOf(site.origin()),
    SIGN_IN_PURPOSE,
    input.response,
  );
  const member =
    proven && (await findMember(database, proven.passkey.accountId, input.organizationId ?? undefined));
  if (!proven || !member) throw refused();
  const token = newSessionToken(random);
  const isOpen = await database.transaction(async (transaction) => {
    const now = clock.now();
    const { accountId } = proven.passkey;
    if (!(await lockMembership(transaction, { userId: member.userId, accountId }))) return false;
    if (!(await usePasskey(transaction, proven, now))) return false;
    await endPresentedSession(transaction, presentedToken, member.organizationId, now);
    await openSession(transaction, foundation, {
      ...{ member, token, clientAddress, at: now, factorAt: now },
      details: { passkey_id: proven.passkey.id },
    });
    return true;
  });
  const [session] = isOpen ? await findSessions(database, [hashSessionToken(token)]) : [];
  if (!session) throw refused();
  return {
    token,
    principal: session.principal,
    deviceToken: newDeviceToken(foundation, member.accountId),
  };
}

const refused = () =>
  unauthenticated('This passkey cannot be used to sign in here.', { denial: { event: 'sign_in.refused' } });

/** The membership that the account signs in to: the requested organization, or the last one. */
async function findMember(reader: Reader, accountId: Id<'acc'>, organizationId: string | undefined) {
  const [member] = await reader.rows(
    memberships
      .where('accounts.id', '=', accountId)
      .$if(organizationId !== undefined, (users) =>
        users.where('users.organization_id', '=', organizationId as Id<'org'>),
      )
      .limit(1),
  );
  return member;
}
