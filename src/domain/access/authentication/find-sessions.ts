import { prepared, type Reader } from '../../../platform/database/index.js';
import { hex } from '../../../platform/kernel/encoding/bytes.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { grantsOf } from '../permissions/permission-set.js';
import type { UserPrincipal } from '../principal.js';

/** A session that was not ended, and its user. The caller checks by its clock whether it has expired. */
export interface FoundSession {
  /** Hex. */
  readonly tokenHash: string;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  readonly principal: UserPrincipal;
}

/** The sessions of these tokens whose user is still a member, with all permissions of the user, in one statement. */
export async function findSessions(
  reader: Reader,
  tokenHashes: readonly Uint8Array[],
): Promise<FoundSession[]> {
  const rows = await reader.rows(sessionsOf(tokenHashes.map((hash) => hex.encode(hash))));
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

interface SessionRow {
  readonly tokenHash: string;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  readonly sessionId: Id<'ses'>;
  readonly signedInAt: Date;
  readonly factorAt: Date | null;
  readonly isFactorRequired: boolean;
  readonly userId: Id<'usr'>;
  readonly accountId: Id<'acc'>;
  readonly organizationId: Id<'org'>;
  readonly organizationName: string;
  readonly name: string;
  readonly email: string;
  readonly grants: readonly (
    readonly [string, string, Id<'app'>, string, string] | readonly [string, string, null, null, null]
  )[];
}

// Prepared because every request with a session runs it.
const sessionsOf = prepared<SessionRow>(
  'sessions_of_tokens',
  `select presented.token as "tokenHash", s.last_seen_at as "lastSeenAt", s.expires_at as "expiresAt",
    s.id as "sessionId", s.created_at as "signedInAt", s.factor_at as "factorAt",
    o.require_second_factor as "isFactorRequired", s.user_id as "userId", u.account_id as "accountId",
    s.organization_id as "organizationId", o.name as "organizationName", u.name, u.email,
    coalesce((
      select jsonb_agg(jsonb_build_array(g.bucket, g.permission, a.id, a.foreign_id, a.name))
      from permission_grants g left join applications a on a.id = g.application_id
      where g.user_id = s.user_id and g.organization_id = s.organization_id
    ), '[]') as "grants"
  from unnest($1::text[]) as presented (token)
  join sessions s on s.token_hash = decode(presented.token, 'hex')
  join users u on u.id = s.user_id and u.organization_id = s.organization_id
  join organizations o on o.id = s.organization_id
  where s.ended_at is null and u.ended_at is null`,
);
