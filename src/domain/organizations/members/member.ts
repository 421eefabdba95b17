import {
  type Acting,
  type PermissionSet,
  permissionSetOf,
  type Person,
  requireOperatorOrStill,
  lockOrganization,
} from '../../access/index.js';
import { idsThatFit, query, type Reader, sql, type Transaction } from '../../../platform/database/index.js';
import { conflict, notFound } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';

/** A user whose membership has not ended. */
export interface Member extends Person {
  readonly addedAt: Date;
  /** When an open session was last used. Null if there is none. */
  readonly lastSeenAt: Date | null;
  readonly hasSecondFactor: boolean;
  readonly permissions: PermissionSet;
}

/** At most `limit` members of the organization after the user `after`, sorted by id. */
export async function selectMembers(
  reader: Reader,
  organizationId: Id<'org'>,
  { after = '', limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<Member[]> {
  const rows = await reader.rows(
    members(organizationId)
      .where(
        'users.id',
        'in',
        idsThatFit<Id<'usr'>>(
          query
            .selectFrom('users')
            .select((user) => [
              'users.id',
              user
                .selectFrom('permission_grants')
                .select(({ fn }) => fn.countAll<number>().as('count'))
                .whereRef('permission_grants.user_id', '=', 'users.id')
                .as('items'),
            ])
            .where('users.organization_id', '=', organizationId)
            .where('users.ended_at', 'is', null)
            .where('users.id', '>', after as Id<'usr'>)
            .orderBy('users.id')
            .limit(limit),
        ),
      )
      .orderBy('users.id')
      .limit(limit),
  );
  return rows.map(memberOf);
}

/** The organization's member, or `NOT_FOUND`. */
export async function findMember(
  reader: Reader,
  organizationId: Id<'org'>,
  userId: Id<'usr'>,
): Promise<Member> {
  const [row] = await reader.rows(members(organizationId).where('users.id', '=', userId));
  if (!row) throw notFound('member');
  return memberOf(row);
}

/**
 * Serializes changes of permissions in an organization, so that two changes cannot remove each other's manager. The person must
 * still hold `members:manage` after the wait.
 */
export async function serializeMemberChangesBy(transaction: Transaction, acting: Acting): Promise<void> {
  await lockOrganization(transaction, acting.organizationId);
  await requireOperatorOrStill(transaction, acting, 'members:manage');
}

/** Throws `CONFLICT` if no remaining member could grant permissions. */
export async function requireManagerLeft(transaction: Transaction, organizationId: Id<'org'>): Promise<void> {
  const left = await transaction.rows(
    query
      .selectFrom('permission_grants')
      .select('user_id')
      .where('organization_id', '=', organizationId)
      .where('bucket', '=', 'owner')
      .where('permission', '=', 'members:manage')
      .limit(1),
  );
  if (left.length === 0)
    throw conflict(
      'The last member who holds members:manage must keep it. Grant it to another member first.',
    );
}

type Grant = readonly [bucket: string, permission: string, foreignId: string | null];

function memberOf({ grants, ...member }: Omit<Member, 'permissions'> & { readonly grants: Grant[] }): Member {
  return { ...member, permissions: permissionSetOf(grants) };
}

const members = (organizationId: Id<'org'>) =>
  query
    .selectFrom('users')
    .select([
      'users.id as id',
      'users.name as name',
      'users.email as email',
      'users.created_at as addedAt',
      sql<Date | null>`(
        select max(last_seen_at) from sessions
        where sessions.user_id = users.id and sessions.organization_id = users.organization_id
          and sessions.ended_at is null
      )`.as('lastSeenAt'),
      sql<boolean>`(
        exists (select from accounts where accounts.id = users.account_id and sealed_totp_secret is not null)
        or exists (select from passkeys where passkeys.account_id = users.account_id)
      )`.as('hasSecondFactor'),
      // The builder has no aggregate of arrays.
      sql<Grant[]>`coalesce((
        select jsonb_agg(jsonb_build_array(g.bucket, g.permission, a.foreign_id))
        from permission_grants g left join applications a on a.id = g.application_id
        where g.user_id = users.id and g.organization_id = users.organization_id
      ), '[]')`.as('grants'),
    ])
    .where('users.organization_id', '=', organizationId)
    .where('users.ended_at', 'is', null);
