import { type LogObject, recordActivity } from '../../activity-log/index.js';
import {
  SESSION_LIFETIME_MS,
  findSessions,
  type Actor,
  hashSessionToken,
  parseSessionToken,
  requireOpenSession,
  type SessionToken,
  type UserPrincipal,
} from '../../access/index.js';
import type { Sealer } from '../../../platform/crypto/index.js';
import { type Foundation, query, type Transaction, valuesOf } from '../../../platform/database/index.js';
import { hex } from '../../../platform/kernel/encoding/bytes.js';
import { clientNetwork } from '../../../platform/kernel/client-network.js';
import { type Id, newId } from '../../../platform/kernel/ids.js';
import { usersOfAccount } from '../accounts/account.js';
import { SessionEntity } from './session.entity.js';

export interface OpeningSession {
  readonly member: { readonly userId: Id<'usr'>; readonly organizationId: Id<'org'>; readonly name: string };
  readonly token: SessionToken;
  readonly clientAddress: string;
  readonly at: Date;
  /** When the person signed in, if this session continues another one. It neither lasts longer nor proves more than that one. */
  readonly signedInAt?: Date;
  /** When a second factor was proven. Absent if none was. */
  readonly factorAt?: Date | null;
  /** Further details of the log entry. */
  readonly details?: LogObject;
}

export async function openSession(
  transaction: Transaction,
  { sealer }: Pick<Foundation, 'sealer'>,
  { member, token, clientAddress, at, signedInAt = at, factorAt = null, details = {} }: OpeningSession,
): Promise<void> {
  const id = newId('ses');
  await transaction.rows(
    query.insertInto('sessions').values(
      valuesOf(SessionEntity, {
        id,
        tokenHash: hashSessionToken(token),
        userId: member.userId,
        organizationId: member.organizationId,
        createdAt: signedInAt,
        lastSeenAt: at,
        expiresAt: new Date(signedInAt.getTime() + SESSION_LIFETIME_MS),
        factorAt,
      }),
    ),
  );
  await recordActivity(transaction, {
    organizationId: member.organizationId,
    eventType: 'session.created',
    actor: { id: member.userId, name: member.name },
    object: { session_id: id },
    details: { client_digest: clientDigest(sealer, member.organizationId, clientAddress), ...details },
    at,
  });
}

const CLIENT_DIGEST_BYTES = 16;

/**
 * Shows the readers of one organization's log which sessions came from the same network, but not from which. A digest with
 * a stored salt would not be enough, because an address can be found by trying all of them.
 */
function clientDigest(sealer: Sealer, organizationId: Id<'org'>, clientAddress: string): string {
  const text = JSON.stringify([organizationId, clientNetwork(clientAddress)]);
  return hex.encode(sealer.digest(text, 'sessions/client').subarray(0, CLIENT_DIGEST_BYTES));
}

/** Why a session ended, for readers of the organization's log. No reason tells that the person is a member elsewhere. */
export type SessionEnd =
  | 'signed_out'
  | 'signed_in_again'
  | 'revoked'
  | 'ended_by_manager'
  | 'password_changed'
  | 'second_factor_changed'
  | 'member_removed';

/**
 * Locks the caller's session until the transaction ends. Checks before the transaction take time, and the person can have ended
 * the session meanwhile because it was stolen.
 *
 * @throws `UNAUTHENTICATED`
 */
export async function requireSessionStill(
  transaction: Transaction,
  { organizationId, sessionId }: Pick<UserPrincipal, 'organizationId' | 'sessionId'>,
): Promise<void> {
  await transaction.rows(
    query
      .selectFrom('sessions')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('id', '=', sessionId)
      .forNoKeyUpdate(),
  );
  // After the wait for the lock.
  await requireOpenSession(transaction, { organizationId, sessionId });
}

/** Ends one session. Returns whether it was still open. */
export async function endSession(
  transaction: Transaction,
  organizationId: Id<'org'>,
  sessionId: Id<'ses'>,
  reason: SessionEnd,
  actor: Actor,
  at: Date,
): Promise<boolean> {
  const open = openSessions(organizationId).where('id', '=', sessionId);
  return (await end(transaction, open, reason, actor, at)) > 0;
}

/**
 * Ends the session that a sign-in to an organization replaces: no token remains valid after another sign-in (OWASP: session
 * fixation). In the log of another organization it is a sign-out, because its readers must not learn of the membership.
 */
export async function endPresentedSession(
  transaction: Transaction,
  text: string | undefined,
  signedInTo: Id<'org'>,
  at: Date,
): Promise<void> {
  const token = text === undefined ? undefined : parseSessionToken(text);
  const [presented] = token ? await findSessions(transaction, [hashSessionToken(token)]) : [];
  if (!presented) return;
  const { organizationId, sessionId, userId, name } = presented.principal;
  const reason = organizationId === signedInTo ? 'signed_in_again' : 'signed_out';
  await endSession(transaction, organizationId, sessionId, reason, { id: userId, name }, at);
}

/** Ends every session of the user in the organization. Returns the number of open ones. */
export async function endSessionsOfUser(
  transaction: Transaction,
  organizationId: Id<'org'>,
  userId: Id<'usr'>,
  reason: SessionEnd,
  actor: Actor,
  at: Date,
): Promise<number> {
  return end(transaction, openSessions(organizationId).where('user_id', '=', userId), reason, actor, at);
}

/**
 * Ends every session of a person, in each organization where the account is a member. The log of each names the person's own
 * user there as the actor.
 */
export const endSessionsOfAccount = (
  transaction: Transaction,
  accountId: Id<'acc'>,
  reason: SessionEnd,
  at: Date,
): Promise<number> => endOtherSessions(transaction, { accountId, sessionId: null }, reason, at);

/** Ends every session of a person except one. Returns the number of open ones. */
export async function endOtherSessions(
  transaction: Transaction,
  { accountId, sessionId }: Pick<UserPrincipal, 'accountId'> & { readonly sessionId: Id<'ses'> | null },
  reason: SessionEnd,
  at: Date,
): Promise<number> {
  let ended = 0;
  for (const { id, organizationId, name } of await usersOfAccount(transaction, accountId)) {
    const open = openSessions(organizationId)
      .where('user_id', '=', id)
      .$if(sessionId !== null, (sessions) => sessions.where('id', '<>', sessionId!));
    ended += await end(transaction, open, reason, { id, name }, at);
  }
  return ended;
}

const openSessions = (organizationId: Id<'org'>) =>
  query.updateTable('sessions').where('organization_id', '=', organizationId).where('ended_at', 'is', null);

async function end(
  transaction: Transaction,
  sessions: ReturnType<typeof openSessions>,
  reason: SessionEnd,
  actor: Actor,
  at: Date,
): Promise<number> {
  const ended = await transaction.rows(
    sessions
      .set({ ended_at: at, client_address: null, user_agent: null })
      .returning(['id', 'user_id as userId', 'organization_id as organizationId']),
  );
  for (const session of ended) {
    await recordActivity(transaction, {
      organizationId: session.organizationId,
      eventType: 'session.ended',
      actor,
      object: { session_id: session.id, user_id: session.userId },
      details: { reason },
      at,
    });
  }
  return ended.length;
}
