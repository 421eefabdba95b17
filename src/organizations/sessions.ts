import type { RawBuilder } from 'kysely';
import { personal, recordActivity, type Actor, type LogObject } from '../activity-log/index.js';
import { sql, type Reader, type Transaction } from '../database/index.js';
import { newId, type Id } from '../kernel/ids.js';
import { grantsOf } from './permission-set.js';
import type { UserPrincipal } from './principal.js';
import {
  ABSOLUTE_MILLISECONDS,
  hashSessionToken,
  parseSessionToken,
  type SessionToken,
} from './session-lifetime.js';
import { Session } from './session.entity.js';

/** A session that was not ended, and whom it shows. Whether it is still alive is for the caller's clock. */
export interface FoundSession {
  readonly tokenHash: Uint8Array;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  readonly principal: UserPrincipal;
}

/** The sessions of these tokens whose user is still a member, with everything the user holds: one statement. */
export async function findSessions(
  reader: Reader,
  tokenHashes: readonly Uint8Array[],
): Promise<FoundSession[]> {
  const rows = await reader.rows(sql<SessionRow>`
    select s.token_hash as "tokenHash", s.last_seen_at as "lastSeenAt", s.expires_at as "expiresAt",
      s.id as "sessionId", s.user_id as "userId", s.organization_id as "organizationId",
      o.name as "organizationName", u.name, u.email,
      coalesce((
        select jsonb_agg(jsonb_build_array(g.bucket, g.permission, a.id, a.foreign_id, a.name))
        from permission_grants g left join applications a on a.id = g.application_id
        where g.user_id = s.user_id and g.organization_id = s.organization_id
      ), '[]') as "grants"
    from sessions s
    join memberships m on m.user_id = s.user_id and m.organization_id = s.organization_id
    join users u on u.id = s.user_id
    join organizations o on o.id = s.organization_id
    where s.token_hash in (${sql.join(tokenHashes)}) and s.ended_at is null`);
  return rows.map(({ tokenHash, lastSeenAt, expiresAt, grants, ...user }) => ({
    tokenHash,
    lastSeenAt,
    expiresAt,
    principal: {
      kind: 'user',
      ...user,
      grants: grantsOf(
        grants.map(([bucket, permission, applicationId]) => [bucket, permission, applicationId]),
      ),
      applications: new Map(
        grants.flatMap(([, , id, foreignId, name]) => (id === null ? [] : [[id, { foreignId, name }]])),
      ),
    },
  }));
}

export async function openSession(
  transaction: Transaction,
  member: { readonly userId: Id<'usr'>; readonly organizationId: Id<'org'>; readonly name: string },
  token: SessionToken,
  clientAddress: string,
  at: Date,
  details: LogObject = {},
): Promise<void> {
  const id = newId('ses');
  await transaction.em.insert(Session, {
    id,
    tokenHash: Buffer.from(hashSessionToken(token)),
    userId: member.userId,
    organizationId: member.organizationId,
    createdAt: at,
    lastSeenAt: at,
    expiresAt: new Date(at.getTime() + ABSOLUTE_MILLISECONDS),
    endedAt: null,
  });
  await recordActivity(transaction, {
    organizationId: member.organizationId,
    eventType: 'session.created',
    actor: { id: member.userId, name: member.name },
    object: { session_id: id },
    details: { client_address: personal(clientAddress), ...details },
    at,
  });
}

export type SessionEnd =
  | 'signed_out'
  | 'signed_in_again'
  | 'revoked'
  | 'ended_by_manager'
  | 'password_changed'
  | 'second_factor_changed'
  | 'member_removed';

/** Ends one session. Whether it was still open. */
export async function endSession(
  transaction: Transaction,
  organizationId: Id<'org'>,
  sessionId: Id<'ses'>,
  reason: SessionEnd,
  actor: Actor,
  at: Date,
): Promise<boolean> {
  return (await end(transaction, organizationId, sql`id = ${sessionId}`, reason, actor, at)) > 0;
}

/** Ends the session that a sign-in was made over: a token never outlives a sign-in (OWASP: session fixation). */
export async function endPresentedSession(
  transaction: Transaction,
  text: string | undefined,
  at: Date,
): Promise<void> {
  const token = text === undefined ? undefined : parseSessionToken(text);
  const [presented] = token ? await findSessions(transaction, [hashSessionToken(token)]) : [];
  if (!presented) return;
  const { organizationId, sessionId, userId, name } = presented.principal;
  await endSession(transaction, organizationId, sessionId, 'signed_in_again', { id: userId, name }, at);
}

/** Ends every session that the user has in the organization. How many were open. */
export async function endSessionsOfUser(
  transaction: Transaction,
  organizationId: Id<'org'>,
  userId: Id<'usr'>,
  reason: SessionEnd,
  actor: Actor,
  at: Date,
): Promise<number> {
  return end(transaction, organizationId, sql`user_id = ${userId}`, reason, actor, at);
}

/** Ends every session of the user's but one. How many were open. */
export async function endOtherSessions(
  transaction: Transaction,
  { organizationId, userId, sessionId }: Pick<UserPrincipal, 'organizationId' | 'userId' | 'sessionId'>,
  reason: SessionEnd,
  actor: Actor,
  at: Date,
): Promise<number> {
  const which = sql`user_id = ${userId} and id <> ${sessionId}`;
  return end(transaction, organizationId, which, reason, actor, at);
}

async function end(
  transaction: Transaction,
  organizationId: Id<'org'>,
  which: RawBuilder<unknown>,
  reason: SessionEnd,
  actor: Actor,
  at: Date,
): Promise<number> {
  const ended = await transaction.rows(sql<{ id: Id<'ses'>; userId: Id<'usr'> }>`
    update sessions set ended_at = ${at}
    where organization_id = ${organizationId} and ended_at is null and ${which}
    returning id, user_id as "userId"`);
  for (const session of ended) {
    await recordActivity(transaction, {
      organizationId,
      eventType: 'session.ended',
      actor,
      object: { session_id: session.id, user_id: session.userId },
      details: { reason },
      at,
    });
  }
  return ended.length;
}

interface SessionRow {
  readonly tokenHash: Uint8Array;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  readonly sessionId: Id<'ses'>;
  readonly userId: Id<'usr'>;
  readonly organizationId: Id<'org'>;
  readonly organizationName: string;
  readonly name: string;
  readonly email: string;
  readonly grants: readonly (
    readonly [string, string, Id<'app'>, string, string] | readonly [string, string, null, null, null]
  )[];
}
