/**
 * Every owner permission in the order in which it was introduced. Append new ones at the end, together with a migration that
 * runs {@link grantToFullOwners}. The permission table of `domain/access` must have exactly these permissions, or it does not
 * compile.
 */
export const OWNER_PERMISSIONS = [
  'applications:read',
  'applications:create',
  'members:manage',
  'api_keys:manage',
  'disclosures:decide',
  'policies:manage',
  'addresses:manage',
  'relays:read',
  'reports:list',
  'reports:download',
  'reports:create',
  'logs:view_activity',
] as const;

export type OwnerPermission = (typeof OWNER_PERMISSIONS)[number];

/**
 * The statement of a migration that adds an owner permission. Members who have all earlier ones receive it, so that existing
 * owners have the same permissions as new ones. Other members keep their permissions.
 */
export function grantToFullOwners(
  permission: string,
  permissions: readonly string[] = OWNER_PERMISSIONS,
): string {
  const older = permissions.slice(0, Math.max(0, permissions.indexOf(permission)));
  if (older.length === 0) throw new Error(`${permission} is not a new owner permission.`);
  return `insert into permission_grants (organization_id, user_id, application_id, bucket, permission)
    select organization_id, user_id, null, 'owner', '${permission}' from permission_grants
    where bucket = 'owner' and permission in (${older.map((name) => `'${name}'`).join(', ')})
    group by organization_id, user_id having count(*) = ${older.length}
    on conflict do nothing`;
}
