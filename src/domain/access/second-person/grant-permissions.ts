import {
  columnsOf,
  query,
  type Reader,
  type RowOf,
  type Transaction,
  valuesOf,
} from '../../../platform/database/index.js';
import { forbidden, notFound } from '../../../platform/kernel/errors.js';
import { type Id, isId, newId } from '../../../platform/kernel/ids.js';
import {
  type Grant,
  grantsOfSet,
  heldGrants,
  managersAmong,
  replaceGrants,
} from '../permissions/permission-grants.js';
import type { PermissionSet } from '../permissions/permission-set.js';
import { isDecidingPermission } from '../permissions/permissions.js';
import { PendingGrantEntity } from './pending-grant.entity.js';
import { requiresSecondPerson } from './second-person.js';

export interface Granting {
  readonly organizationId: Id<'org'>;
  readonly userId: Id<'usr'>;
  /** Id of the user who grants, or `operator`. */
  readonly grantedBy: string;
  readonly at: Date;
}

/**
 * Replaces a member's permissions by `set`. If the organization requires a second person, members cannot grant themselves
 * permissions, and a new deciding permission waits until another person confirms it. The operator at the command line needs
 * no second person.
 */
export async function grantPermissions(
  transaction: Transaction,
  { organizationId, userId, grantedBy, at }: Granting,
  set: PermissionSet,
): Promise<void> {
  const wanted = await grantsOfSet(transaction, organizationId, set);
  const held = new Set((await heldGrants(transaction, organizationId, userId)).map(nameOf));
  const isUnderRule = isId('usr', grantedBy) && (await requiresSecondPerson(transaction, organizationId));
  const added = wanted.filter((grant) => !held.has(nameOf(grant)));
  if (isUnderRule && grantedBy === userId && added.length > 0) {
    throw forbidden('You cannot grant yourself a permission. Ask another owner.', {
      reason: 'second_person_required',
    });
  }
  const waiting = isUnderRule ? added.filter(isDeciding) : [];
  await replaceGrants(
    transaction,
    organizationId,
    userId,
    wanted.filter((grant) => !waiting.includes(grant)),
  );
  const granting = { organizationId, userId, grantedBy, at };
  const granters = await dropPending(transaction, granting);
  await insertPending(transaction, granting, waiting, granters);
  await lapseGrantsOf(transaction, organizationId, userId);
  const wantedNames = new Set(wanted.map(nameOf));
  if ([...held].some((name) => !wantedNames.has(name)))
    await dropProposals(transaction, organizationId, userId);
}

/** A person's proposals do not count after the person lost permissions: one of them may have been the permission to propose. */
async function dropProposals(
  transaction: Transaction,
  organizationId: Id<'org'>,
  userId: Id<'usr'>,
): Promise<void> {
  await transaction.rows(
    query
      .deleteFrom('proposed_operations')
      .where('organization_id', '=', organizationId)
      .where('proposed_by', '=', userId),
  );
}

/**
 * Makes a member's deciding permissions wait for a confirmation, if the organization requires a second person. The person who
 * created the link of the account becomes the granter of all of them, including those that another person granted before.
 * Those were meant for the earlier holder of the account, and the holder of the link cannot be the second person for them.
 */
export async function suspendDecidingPermissions(
  transaction: Transaction,
  granting: Granting,
): Promise<void> {
  const { organizationId, userId, grantedBy } = granting;
  if (!isId('usr', grantedBy) || !(await requiresSecondPerson(transaction, organizationId))) return;
  const held = await heldGrants(transaction, organizationId, userId);
  const pending = await dropPending(transaction, granting);
  const waiting = [...pending.values(), ...held.filter(isDeciding)];
  await replaceGrants(
    transaction,
    organizationId,
    userId,
    held.filter((grant) => !isDeciding(grant)),
  );
  await insertPending(transaction, granting, waiting);
  await lapseGrantsOf(transaction, organizationId, userId);
  await dropProposals(transaction, organizationId, userId);
}

/** Removes all permissions of a member, and all pending grants. */
export async function removePermissions(
  transaction: Transaction,
  organizationId: Id<'org'>,
  userId: Id<'usr'>,
): Promise<void> {
  await replaceGrants(transaction, organizationId, userId, []);
  await dropPending(transaction, { organizationId, userId });
  await lapseGrantsOf(transaction, organizationId, userId);
}

/**
 * The waiting grants that a person made need a new first person from the moment when the person cannot grant anymore: they do not
 * count again if the person can grant later.
 */
async function lapseGrantsOf(
  transaction: Transaction,
  organizationId: Id<'org'>,
  userId: Id<'usr'>,
): Promise<void> {
  if ((await managersAmong(transaction, organizationId, [userId])).has(userId)) return;
  await transaction.rows(
    query
      .updateTable('pending_permission_grants')
      .set({ is_lapsed: true })
      .where('organization_id', '=', organizationId)
      .where('granted_by', '=', userId),
  );
}

function isDeciding({ bucket, permission }: Grant): boolean {
  return isDecidingPermission(bucket, permission);
}

const nameOf = ({ applicationId, bucket, permission }: Grant) =>
  `${applicationId ?? ''} ${bucket} ${permission}`;

/** The granters who may still grant. Grants of others no longer count. */
async function stillGranting(
  reader: Reader,
  organizationId: Id<'org'>,
  grantedBy: readonly string[],
): Promise<ReadonlySet<string>> {
  const operators = grantedBy.filter((granter) => !isId('usr', granter));
  const users = grantedBy.filter((granter) => isId('usr', granter));
  return new Set([...operators, ...(await managersAmong(reader, organizationId, users))]);
}

/** A grant that waits for a second person. */
export type PendingGrant = RowOf<typeof PendingGrantEntity>;

/** Deletes the waiting grants of a member, and returns them by name. */
async function dropPending(
  transaction: Transaction,
  { organizationId, userId }: Pick<Granting, 'organizationId' | 'userId'>,
): Promise<ReadonlyMap<string, PendingGrant>> {
  const dropped = await transaction.rows(
    query
      .deleteFrom('pending_permission_grants')
      .where('organization_id', '=', organizationId)
      .where('user_id', '=', userId)
      .returning(columnsOf(PendingGrantEntity)),
  );
  return new Map(dropped.map((grant) => [nameOf(grant), grant]));
}

/** Grants that are in `before` keep the person who granted them first, while that person may grant. */
async function insertPending(
  transaction: Transaction,
  { organizationId, userId, grantedBy, at }: Granting,
  waiting: readonly Grant[],
  before: ReadonlyMap<string, PendingGrant> = new Map(),
): Promise<void> {
  if (waiting.length === 0) return;
  const granters = [...before.values()].map((grant) => grant.grantedBy);
  const still = await stillGranting(transaction, organizationId, granters);
  await transaction.rows(
    query.insertInto('pending_permission_grants').values(
      waiting.map((grant) => {
        const earlier = before.get(nameOf(grant));
        const known = earlier && !earlier.isLapsed && still.has(earlier.grantedBy) ? earlier : undefined;
        return valuesOf(PendingGrantEntity, {
          ...grant,
          id: known?.id ?? newId('grt'),
          organizationId,
          userId,
          grantedBy: known?.grantedBy ?? grantedBy,
          createdAt: known?.createdAt ?? at,
          isLapsed: false,
        });
      }),
    ),
  );
}

/** The waiting grants of the organization. The caller adds conditions. */
export const selectPendingGrants = (organizationId: Id<'org'>) =>
  query
    .selectFrom('pending_permission_grants')
    .select(columnsOf(PendingGrantEntity))
    .where('organization_id', '=', organizationId);

/** Makes a waiting grant effective. Someone other than the granter and the receiver must confirm it. */
export async function confirmGrant(
  transaction: Transaction,
  organizationId: Id<'org'>,
  id: Id<'grt'>,
  confirmedBy: Id<'usr'>,
): Promise<PendingGrant> {
  const [grant] = await transaction.rows(
    selectPendingGrants(organizationId).where('id', '=', id).forUpdate(),
  );
  if (!grant) throw notFound('pending grant');
  if (confirmedBy === grant.grantedBy || confirmedBy === grant.userId) {
    throw forbidden('Someone other than the granter and the receiver must confirm.', {
      reason: 'second_person_required',
    });
  }
  const still = await stillGranting(transaction, organizationId, [grant.grantedBy]);
  if (grant.isLapsed || !still.has(grant.grantedBy))
    throw forbidden(
      'The person who granted this permission lost the right to grant permissions. Grant it again, and let another person confirm it.',
      { reason: 'second_person_required' },
    );
  await transaction.rows(query.deleteFrom('pending_permission_grants').where('id', '=', id));
  await transaction.rows(
    query
      .insertInto('permission_grants')
      .values({
        organization_id: organizationId,
        user_id: grant.userId,
        application_id: grant.applicationId,
        bucket: grant.bucket,
        permission: grant.permission,
      })
      .onConflict((row) => row.doNothing()),
  );
  return grant;
}
