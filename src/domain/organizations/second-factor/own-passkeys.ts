import { type Foundation, query, type Transaction, valuesOf } from '../../../platform/database/index.js';
import { violatedConstraint } from '../../../platform/database/index.js';
import { conflict, notFound, parseMembers } from '../../../platform/kernel/errors.js';
import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import { newId, parseIdOrNotFound } from '../../../platform/kernel/ids.js';
import { parseName } from '../../../platform/kernel/text.js';
import { freshFactorRequired, hasFreshFactor, type Principal, requireSignedIn } from '../../access/index.js';
import { lockAccount, recordOfAccount } from '../accounts/account.js';
import type { PublicSite } from '../public-site.js';
import { requireOwnProof, settleFactors } from './factors-of-account.js';
import { endOtherSessions, requireSessionStill } from '../sessions/sessions.js';
import { useChallenge } from '../passkeys/challenge.js';
import { PasskeyEntity } from '../passkeys/passkey.entity.js';
import { relyingPartyOf } from '../passkeys/relying-party.js';
import {
  creationOptions,
  type NewPasskey,
  type Passkey,
  passkeysOf,
  verifyNewPasskey,
} from '../passkeys/verify-passkey.js';

const MAX_PASSKEYS = 20;

/** The caller's own passkeys, oldest first. */
export function listPasskeys(foundation: Foundation, principal: Principal | undefined): Promise<Passkey[]> {
  return passkeysOf(foundation.database, requireSignedIn(principal).accountId);
}

/** The options with which the caller's browser creates a passkey. Nothing changes until {@link addPasskey}. */
export async function proposePasskey(
  foundation: Foundation,
  site: PublicSite,
  principal: Principal | undefined,
): Promise<JsonObject> {
  const { accountId, sessionId, email, name } = requireSignedIn(principal);
  const existing = await passkeysOf(foundation.database, accountId);
  const userHandle = existing[0]?.userHandle ?? userHandleOf(foundation, accountId);
  const purpose = { purpose: 'add', binding: sessionId } as const;
  return creationOptions(
    foundation,
    relyingPartyOf(site.origin()),
    purpose,
    { email, name, userHandle },
    existing,
  );
}

/** Adds a passkey to the caller's account. The password alone then no longer signs in, and the other sessions end. */
export async function addPasskey(
  foundation: Foundation,
  site: PublicSite,
  principal: Principal | undefined,
  input: {
    readonly name: string;
    readonly response: JsonObject;
    readonly password?: string | null | undefined;
  },
  clientAddress: string,
): Promise<Passkey> {
  const user = requireSignedIn(principal);
  const { name } = parseMembers({ name: () => parseName('name', input.name, 64) });
  await requireOwnProof(foundation, user, input.password, clientAddress);
  const purpose = { purpose: 'add', binding: user.sessionId } as const;
  const made = await verifyNewPasskey(
    foundation,
    relyingPartyOf(site.origin()),
    purpose,
    input.response,
    'response',
  );
  return foundation.database.transaction(async (transaction) => {
    const now = foundation.clock.now();
    await lockAccount(transaction, user.accountId);
    await requireSessionStill(transaction, user);
    const existing = await passkeysOf(transaction, user.accountId);
    if (existing.length >= MAX_PASSKEYS)
      throw conflict(`An account can have at most ${MAX_PASSKEYS} passkeys. Remove one first.`);
    const userHandle = existing[0]?.userHandle ?? userHandleOf(foundation, user.accountId);
    const passkey = await insertPasskey(
      transaction,
      made,
      { accountId: user.accountId, userHandle, name },
      now,
    );
    await recordOfAccount(transaction, user.accountId, 'user.passkey_added', now, { passkey_id: passkey.id });
    await endOtherSessions(transaction, user, 'second_factor_changed', now);
    // Creating the passkey verified the person.
    await transaction.rows(
      query
        .updateTable('sessions')
        .set({ factor_at: now })
        .where('id', '=', user.sessionId)
        .where('organization_id', '=', user.organizationId),
    );
    return passkey;
  });
}

export async function insertPasskey(
  transaction: Transaction,
  { challenge, ...made }: NewPasskey,
  owner: Pick<Passkey, 'accountId' | 'userHandle' | 'name'>,
  at: Date,
): Promise<Passkey> {
  if (!(await useChallenge(transaction, challenge, at)))
    throw conflict('This registration of a passkey was already used. Start again.');
  const passkey = { ...made, ...owner, id: newId('pky'), createdAt: at, lastUsedAt: null };
  try {
    await transaction.rows(query.insertInto('passkeys').values(valuesOf(PasskeyEntity, passkey)));
  } catch (thrown) {
    if (violatedConstraint(thrown) === undefined) throw thrown;
    throw conflict('The passkey was already added.', { cause: thrown });
  }
  return passkey;
}

/** Removes one of the caller's passkeys, but not the last way to sign in. Needs a fresh second factor. */
export async function removePasskey(
  foundation: Foundation,
  principal: Principal | undefined,
  passkeyId: string,
): Promise<void> {
  const user = requireSignedIn(principal);
  const id = parseIdOrNotFound('pky', passkeyId);
  const { accountId } = user;
  const own = await passkeysOf(foundation.database, accountId);
  if (!own.some((passkey) => passkey.id === id)) throw notFound('passkey');
  if (!hasFreshFactor(user, foundation.clock.now())) throw freshFactorRequired();
  await foundation.database.transaction(async (transaction) => {
    await lockAccount(transaction, accountId);
    await requireSessionStill(transaction, user);
    const removed = await transaction.rows(
      query.deleteFrom('passkeys').where('id', '=', id).where('account_id', '=', accountId).returning('id'),
    );
    if (removed.length === 0) throw notFound('passkey');
    const left = await settleFactors(transaction, accountId);
    if (!left.password && left.passkeys === 0 && !left.openId)
      throw conflict('This passkey is your only way to sign in: add another one first.');
    const now = foundation.clock.now();
    await recordOfAccount(transaction, accountId, 'user.passkey_removed', now, { passkey_id: id });
    await endOtherSessions(transaction, user, 'second_factor_changed', now);
  });
}

/** The user handle that authenticators store for an account or invitation. It reveals nothing to them. */
export const userHandleOf = ({ sealer }: Pick<Foundation, 'sealer'>, id: string): Uint8Array =>
  sealer.digest(id, 'webauthn/user_handle');
