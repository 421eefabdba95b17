import {
  actorOf,
  findSessions,
  hashSessionToken,
  newSessionToken,
  type Principal,
  requireSignedIn,
  type SessionToken,
  type UserPrincipal,
} from '../../access/index.js';
import { type Foundation, query, type Reader } from '../../../platform/database/index.js';
import { notFound } from '../../../platform/kernel/errors.js';
import { type Id, parseIdOrNotFound } from '../../../platform/kernel/ids.js';
import type { OrganizationInfo } from '../find-organization.js';
import { endSession, openSession, requireSessionStill } from './sessions.js';

/** The organizations where the caller's account is a member, by name. */
export function organizationsOfAccount(reader: Reader, accountId: Id<'acc'>): Promise<OrganizationInfo[]> {
  return reader.rows(
    query
      .selectFrom('users')
      .innerJoin('organizations', 'organizations.id', 'users.organization_id')
      .select(['organizations.id as id', 'organizations.name as name'])
      .where('users.account_id', '=', accountId)
      .where('users.ended_at', 'is', null)
      .orderBy('organizations.name')
      .orderBy('organizations.id'),
  );
}

/** Ends this session and opens one in another organization where the same account is a member, or `NOT_FOUND`. */
export async function switchOrganization(
  foundation: Foundation,
  principal: Principal | undefined,
  organizationId: string,
  clientAddress: string,
): Promise<{ readonly token: SessionToken; readonly principal: UserPrincipal }> {
  const user = requireSignedIn(principal);
  const target = parseIdOrNotFound('org', organizationId);
  const token = newSessionToken(foundation.random);
  await foundation.database.transaction(async (transaction) => {
    const [member] = await transaction.rows(
      query
        .selectFrom('users')
        .select(['id as userId', 'organization_id as organizationId', 'name'])
        .where('account_id', '=', user.accountId)
        .where('organization_id', '=', target)
        .where('ended_at', 'is', null)
        .forShare(),
    );
    if (!member) throw notFound('organization');
    await requireSessionStill(transaction, user);
    const now = foundation.clock.now();
    // For the organization that is left it is a sign-out: its log must not tell that the person is a member elsewhere.
    await endSession(transaction, user.organizationId, user.sessionId, 'signed_out', actorOf(user), now);
    await openSession(transaction, foundation, {
      ...{ member, token, clientAddress, at: now },
      signedInAt: user.signedInAt,
      factorAt: user.factorAt,
    });
  });
  const [session] = await findSessions(foundation.database, [hashSessionToken(token)]);
  if (!session) throw notFound('organization');
  return { token, principal: session.principal };
}
