import { sql, type Reader, type Transaction } from '../database/index.js';
import { conflict, notFound } from '../kernel/errors.js';
import type { Id } from '../kernel/ids.js';
import { permissionSetOf, type PermissionSet } from './permission-set.js';

export interface Member {
  /** The user's id. */
  readonly id: Id<'usr'>;
  readonly name: string;
  readonly email: string;
  readonly addedAt: Date;
  readonly permissions: PermissionSet;
}

/** At most `limit` members of the organization behind the user `after`, in the order of their ids. */
export async function selectMembers(
  reader: Reader,
  organizationId: Id<'org'>,
  { after = '', limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<Member[]> {
  const rows = await reader.rows(sql<MemberRow>`
    ${memberColumns(organizationId)} and m.user_id > ${after} order by m.user_id limit ${limit}`);
  return rows.map(memberOf);
}

/** The organization's member, or `NOT_FOUND`. */
export async function locateMember(
  reader: Reader,
  organizationId: Id<'org'>,
  userId: Id<'usr'>,
): Promise<Member> {
  const [row] = await reader.rows(sql<MemberRow>`
    ${memberColumns(organizationId)} and m.user_id = ${userId}`);
  if (!row) throw notFound('member');
  return memberOf(row);
}

/** Makes changes of who may do what in an organization take turns, so that two cannot each leave the other out. */
export async function serializeMemberChanges(
  transaction: Transaction,
  organizationId: Id<'org'>,
): Promise<void> {
  await transaction.rows(sql`select id from organizations where id = ${organizationId} for no key update`);
}

/** Throws `CONFLICT` when nobody is left who could give permissions back. */
export async function requireManagerLeft(transaction: Transaction, organizationId: Id<'org'>): Promise<void> {
  const left = await transaction.rows(sql`
    select user_id from permission_grants
    where organization_id = ${organizationId} and bucket = 'owner' and permission = 'members:manage' limit 1`);
  if (left.length === 0) throw conflict('The last member who holds members:manage must keep it.');
}

type MemberRow = Omit<Member, 'permissions'> & {
  readonly grants: readonly (readonly [string, string, string | null])[];
};

function memberOf({ grants, ...member }: MemberRow): Member {
  return { ...member, permissions: permissionSetOf(grants) };
}

const memberColumns = (organizationId: Id<'org'>) => sql`
  select u.id, u.name, u.email, m.created_at as "addedAt", coalesce((
      select jsonb_agg(jsonb_build_array(g.bucket, g.permission, a.foreign_id))
      from permission_grants g left join applications a on a.id = g.application_id
      where g.user_id = m.user_id and g.organization_id = m.organization_id
    ), '[]') as "grants"
  from memberships m join users u on u.id = m.user_id
  where m.organization_id = ${organizationId}`;
