import { query, type Reader, type Transaction, valuesOf } from '../../../platform/database/index.js';
import { invalidMembers } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { PermissionGrantEntity } from './permission-grant.entity.js';
import type { PermissionSet } from './permission-set.js';
import { APPLICATION_BUCKETS, type Bucket } from './permissions.js';

/** One permission. In the bucket `owner` it has no application; in the others it has one. */
export interface Grant {
  readonly applicationId: Id<'app'> | null;
  readonly bucket: Bucket;
  readonly permission: string;
}

/** The grants of a set. An unknown `foreignId` is `BAD_USER_INPUT`. */
export async function grantsOfSet(
  reader: Reader,
  organizationId: Id<'org'>,
  set: PermissionSet,
): Promise<Grant[]> {
  const applicationIds = await applicationIdsOf(reader, organizationId, set);
  return [
    ...set.owner.map((permission) => ({ applicationId: null, bucket: 'owner' as const, permission })),
    ...set.applications.flatMap((application) =>
      APPLICATION_BUCKETS.flatMap((bucket) =>
        application[bucket].map((permission) => ({
          applicationId: applicationIds.get(application.foreignId) ?? null,
          bucket,
          permission,
        })),
      ),
    ),
  ];
}

export function heldGrants(reader: Reader, organizationId: Id<'org'>, userId: Id<'usr'>): Promise<Grant[]> {
  return reader.rows(
    query
      .selectFrom('permission_grants')
      .select(['application_id as applicationId', 'bucket', 'permission'])
      .where('organization_id', '=', organizationId)
      .where('user_id', '=', userId),
  );
}

/** Replaces a member's permissions without checking rules: `grantPermissions` is the operation. */
export async function replaceGrants(
  transaction: Transaction,
  organizationId: Id<'org'>,
  userId: Id<'usr'>,
  grants: readonly Grant[],
): Promise<void> {
  await transaction.rows(
    query
      .deleteFrom('permission_grants')
      .where('organization_id', '=', organizationId)
      .where('user_id', '=', userId),
  );
  if (grants.length === 0) return;
  await transaction.rows(
    query
      .insertInto('permission_grants')
      .values(
        grants.map(({ applicationId, bucket, permission }) =>
          valuesOf(PermissionGrantEntity, { organizationId, userId, applicationId, bucket, permission }),
        ),
      ),
  );
}

/** Those of the users who may currently grant permissions. */
export async function managersAmong(
  reader: Reader,
  organizationId: Id<'org'>,
  userIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (userIds.length === 0) return new Set();
  const rows = await reader.rows(
    query
      .selectFrom('permission_grants')
      .select('user_id as userId')
      .where('organization_id', '=', organizationId)
      .where('user_id', 'in', userIds as readonly Id<'usr'>[])
      .where('bucket', '=', 'owner')
      .where('permission', '=', 'members:manage'),
  );
  return new Set(rows.map(({ userId }) => userId));
}

/** Throws `BAD_USER_INPUT` if the set names an application that the organization does not have. */
export async function requirePermissionSetExists(
  transaction: Transaction,
  organizationId: Id<'org'>,
  set: PermissionSet,
): Promise<void> {
  await applicationIdsOf(transaction, organizationId, set);
}

async function applicationIdsOf(
  reader: Reader,
  organizationId: Id<'org'>,
  set: PermissionSet,
): Promise<ReadonlyMap<string, Id<'app'>>> {
  const foreignIds = set.applications.map((application) => application.foreignId);
  if (foreignIds.length === 0) return new Map();
  const rows = await reader.rows(
    query
      .selectFrom('applications')
      .select(['id', 'foreign_id'])
      .where('organization_id', '=', organizationId)
      .where('foreign_id', 'in', foreignIds),
  );
  const found = new Map(rows.map((row) => [row.foreign_id, row.id]));
  const missing = foreignIds.flatMap((foreignId, index) => (found.has(foreignId) ? [] : [index]));
  if (missing.length > 0) {
    throw invalidMembers(
      missing.map((index) => ({
        member: `permissions.applications[${index}].foreignId`,
        problem: 'must name an application of the organization',
      })),
    );
  }
  return found;
}
