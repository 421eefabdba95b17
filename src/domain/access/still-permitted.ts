import { query, type Reader, sql } from '../../platform/database/index.js';
import { forbidden, unauthenticated } from '../../platform/kernel/errors.js';
import { type Id, isId } from '../../platform/kernel/ids.js';
import type { Acting } from './operator.js';
import { API_KEY_SCOPES, type ApiKeyScope, type Bucket, type Permission } from './permissions/permissions.js';
import { type Principal, requireFactor } from './principal.js';

/** A person, and the session that must still be open; null for work that continues without the person. */
export interface ActingPerson {
  readonly organizationId: Id<'org'>;
  readonly userId: Id<'usr'>;
  readonly sessionId: Id<'ses'> | null;
}

/**
 * Checks again, in the transaction of an operation and after its locks, what was checked when the request was admitted: the
 * person may have lost the permission, or ended the session because it was stolen, while the request waited.
 *
 * @throws `FORBIDDEN` or `UNAUTHENTICATED`
 */
export async function requirePermissionStill<B extends Bucket>(
  reader: Reader,
  person: ActingPerson,
  applicationId: Id<'app'> | null,
  bucket: B,
  permission: Permission<B>,
): Promise<void> {
  const { organizationId, userId } = person;
  const [held] = await reader.rows(
    query
      .selectFrom('permission_grants')
      .select('permission')
      .where('organization_id', '=', organizationId)
      .where('user_id', '=', userId)
      .where('application_id', 'is not distinct from', applicationId)
      .where('bucket', '=', bucket)
      .where('permission', '=', permission),
  );
  if (!held) throw forbidden(`You no longer hold ${permission}.`);
  await requireActingSession(reader, person);
}

/** By the clock of the database when the statement runs: the transaction may have begun long before, and waited for its locks. */
const NOW = sql<Date>`clock_timestamp()`;

type ActingSession = Pick<ActingPerson, 'organizationId' | 'sessionId'>;

/**
 * Neither ended nor past its longest time. The request itself is a use, so the session is not idle. Without a lock: a session
 * that ends later may have ended just after this transaction. For the caller's own account; everything else needs
 * {@link requireActingSession}.
 *
 * @throws `UNAUTHENTICATED`
 */
export async function requireOpenSession(reader: Reader, session: ActingSession): Promise<void> {
  await openSession(reader, session);
}

/**
 * The session is open and, if the organization requires a second factor by now, proved one. Whether the factor is still fresh
 * is not checked again: a request waits for seconds, and freshness is counted in minutes.
 *
 * @throws `UNAUTHENTICATED` or `FORBIDDEN`
 */
export async function requireActingSession(reader: Reader, session: ActingSession): Promise<void> {
  const open = await openSession(reader, session);
  if (open) requireFactor(open);
}

/** Undefined for work that continues without the person. */
async function openSession(
  reader: Reader,
  { organizationId, sessionId }: ActingSession,
): Promise<{ readonly factorAt: Date | null; readonly isFactorRequired: boolean } | undefined> {
  if (sessionId === null) return undefined;
  const [open] = await reader.rows(
    query
      .selectFrom('sessions')
      .innerJoin('organizations', 'organizations.id', 'sessions.organization_id')
      .select(['factor_at as factorAt', 'require_second_factor as isFactorRequired'])
      .where('sessions.organization_id', '=', organizationId)
      .where('sessions.id', '=', sessionId)
      .where('ended_at', 'is', null)
      .where('expires_at', '>', NOW),
  );
  if (!open) throw unauthenticated();
  return open;
}

/** The check of `requireScope` again, like {@link requirePermissionStill}: a key may have been revoked or expired. */
export async function requireScopeStill(
  reader: Reader,
  principal: Principal,
  scope: ApiKeyScope,
): Promise<void> {
  if (principal.kind === 'user')
    return requirePermissionStill(reader, principal, null, 'owner', API_KEY_SCOPES[scope]);
  const [valid] = await reader.rows(
    query
      .selectFrom('api_keys')
      .select('id')
      .where('organization_id', '=', principal.organizationId)
      .where('id', '=', principal.apiKeyId)
      .where('revoked_at', 'is', null)
      .where((key) => key.or([key('expires_at', 'is', null), key('expires_at', '>', NOW)])),
  );
  if (!valid) throw unauthenticated('The API key was revoked or has expired.');
}

/** Who may repeat a request that needs a scope: the same person, or the organization's API keys, while they still have it. */
export const repeatableBy = (reader: Reader, principal: Principal, scope: ApiKeyScope) => ({
  organizationId: principal.organizationId,
  person: principal.kind === 'user' ? principal.userId : null,
  requireStill: () => requireScopeStill(reader, principal, scope),
});

/** The check of `requireOperatorOr` again, like {@link requirePermissionStill}. */
export async function requireOperatorOrStill(
  reader: Reader,
  { organizationId, actor, sessionId }: Acting,
  permission: Permission<'owner'>,
): Promise<void> {
  if (!isId('usr', actor.id)) return;
  const person = { organizationId, userId: actor.id, sessionId };
  await requirePermissionStill(reader, person, null, 'owner', permission);
}
