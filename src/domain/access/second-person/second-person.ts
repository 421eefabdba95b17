import { type Foundation, query, type Reader } from '../../../platform/database/index.js';
import { forbidden, notFound } from '../../../platform/kernel/errors.js';
import { type Id, isId } from '../../../platform/kernel/ids.js';
import { type Principal, requireOwnerPermission, type UserPrincipal } from '../principal.js';
import { requireFreshFactor } from '../second-factor.js';
import { type OwnersOperation, PERMISSION_OF_PROPOSED } from './second-person-table.js';

/** An owner who may propose the operation, or make it as the second person; with a fresh second factor where one is required. */
export function requireProposer(
  foundation: Pick<Foundation, 'clock'>,
  principal: Principal | undefined,
  operation: OwnersOperation,
): UserPrincipal {
  const caller = requireOwnerPermission(principal, PERMISSION_OF_PROPOSED[operation].owner);
  requireFreshFactor(foundation, caller, operation);
  return caller;
}

/** Whether decisions of the organization need two persons. */
export async function requiresSecondPerson(reader: Reader, id: Id<'org'>): Promise<boolean> {
  const [organization] = await reader.rows(
    query.selectFrom('organizations').select('require_second_person as required').where('id', '=', id),
  );
  if (!organization) throw notFound('organization');
  return organization.required;
}

/**
 * Throws `FORBIDDEN` if the organization requires a second person and the caller is the requester: as a user, or through an
 * API key that the caller requested or confirmed, because both may have its secret. `requestedBy` is the id of a user or an
 * API key. A member who joined after the requester's membership ended may be the same person, and is refused, too.
 */
export async function requireOtherPerson(
  reader: Reader,
  { organizationId, userId }: UserPrincipal,
  requestedBy: string,
): Promise<void> {
  if (!(await requiresSecondPerson(reader, organizationId))) return;
  const people = await peopleBehind(reader, organizationId, requestedBy);
  if (people.includes(userId)) {
    throw forbidden('Someone other than the requester must decide.', {
      reason: 'second_person_required',
    });
  }
  for (const former of people)
    if (await joinedAfter(reader, organizationId, { userId, former })) {
      throw forbidden(
        'The requester is no longer a member. Someone who was a member at the same time must decide, or a member must make a new request.',
        { reason: 'second_person_required' },
      );
    }
}

/** Throws `FORBIDDEN` if the organization requires a second person and the caller is among the receivers. */
export async function requireGivesOthers(
  reader: Reader,
  { organizationId, userId }: UserPrincipal,
  receivers: readonly string[],
): Promise<void> {
  if (!receivers.includes(userId) || !(await requiresSecondPerson(reader, organizationId))) return;
  throw forbidden('You cannot give yourself access. Leave yourself out, or let another person decide.', {
    reason: 'second_person_required',
  });
}

async function joinedAfter(
  reader: Reader,
  organizationId: Id<'org'>,
  { userId, former }: { readonly userId: Id<'usr'>; readonly former: string },
): Promise<boolean> {
  if (!isId('usr', former)) return false;
  const later = await reader.rows(
    query
      .selectFrom('users')
      .innerJoin('users as former', 'former.organization_id', 'users.organization_id')
      .select('users.id')
      .where('users.organization_id', '=', organizationId)
      .where('users.id', '=', userId)
      .where('former.id', '=', former)
      .whereRef('users.created_at', '>=', 'former.ended_at'),
  );
  return later.length > 0;
}

async function peopleBehind(reader: Reader, organizationId: Id<'org'>, actorId: string): Promise<string[]> {
  if (!isId('key', actorId)) return [actorId];
  const [key] = await reader.rows(
    query
      .selectFrom('api_keys')
      .select(['created_by as createdBy', 'proposed_by as proposedBy'])
      .where('organization_id', '=', organizationId)
      .where('id', '=', actorId),
  );
  if (!key) return [actorId];
  return key.proposedBy === null ? [key.createdBy] : [key.createdBy, key.proposedBy];
}
