import { jsonb, sql, type Reader, type Transaction } from '../database/index.js';
import { badUserInput, forbidden } from '../kernel/errors.js';
import type { Id } from '../kernel/ids.js';
import type { PermissionSet } from './permission-set.js';
import { APPLICATION_BUCKETS, type Bucket, type Permission } from './permissions.js';
import type { UserPrincipal } from './principal.js';

/** Replaces what a member holds. A `foreignId` that is not the organization's is `BAD_USER_INPUT`. */
export async function replacePermissionSet(
  transaction: Transaction,
  organizationId: Id<'org'>,
  userId: Id<'usr'>,
  set: PermissionSet,
): Promise<void> {
  const applicationIds = await applicationIdsOf(transaction, organizationId, set);
  const grants = [
    ...set.owner.map((permission) => [null, 'owner', permission]),
    ...set.applications.flatMap((application) =>
      APPLICATION_BUCKETS.flatMap((bucket) =>
        application[bucket].map((permission) => [
          applicationIds.get(application.foreignId) ?? null,
          bucket,
          permission,
        ]),
      ),
    ),
  ];
  await transaction.rows(sql`
    delete from permission_grants where organization_id = ${organizationId} and user_id = ${userId}`);
  await transaction.rows(sql`
    insert into permission_grants (organization_id, user_id, application_id, bucket, permission)
    select ${organizationId}, ${userId}, item->>0, item->>1, item->>2
    from jsonb_array_elements(${jsonb(grants)}) as item`);
}

async function applicationIdsOf(
  transaction: Transaction,
  organizationId: Id<'org'>,
  set: PermissionSet,
): Promise<ReadonlyMap<string, Id<'app'>>> {
  const foreignIds = set.applications.map((application) => application.foreignId);
  const rows = await transaction.rows(sql<{ id: Id<'app'>; foreignId: string }>`
    select id, foreign_id as "foreignId" from applications
    where organization_id = ${organizationId}
      and foreign_id in (select jsonb_array_elements_text(${jsonb(foreignIds)}))`);
  const found = new Map(rows.map((row) => [row.foreignId, row.id]));
  const missing = foreignIds.findIndex((foreignId) => !found.has(foreignId));
  if (missing >= 0) {
    throw badUserInput(`applications[${missing}].foreignId must name an application of the organization.`);
  }
  return found;
}

/** Throws `FORBIDDEN` unless the user holds the permission at this moment, whatever the request began with. */
export async function requirePermissionStill<B extends Bucket>(
  reader: Reader,
  { organizationId, userId }: UserPrincipal,
  applicationId: Id<'app'> | null,
  bucket: B,
  permission: Permission<B>,
): Promise<void> {
  const [held] = await reader.rows(sql`
    select 1 from permission_grants
    where organization_id = ${organizationId} and user_id = ${userId}
      and application_id is not distinct from ${applicationId}
      and bucket = ${bucket} and permission = ${permission}`);
  if (!held) throw forbidden(`You do not hold ${permission} any more.`);
}
