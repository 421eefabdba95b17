import type { Foundation } from '../database/index.js';
import { locateOrganization, type OrganizationInfo } from './find-organization.js';
import { permissionMap, permissionSetOf, type PermissionSet } from './permission-set.js';
import { requirePrincipal, type Principal, type UserPrincipal } from './principal.js';
import { APPLICATION_BUCKETS, type ApplicationBucket } from './permissions.js';

type PermissionMap = Readonly<Record<string, boolean>>;

/** Who calls and what they hold, as `GET /auth/me` tells it. */
export interface Viewer {
  readonly organization: OrganizationInfo;
  readonly user: { readonly id: string; readonly name: string; readonly email: string } | null;
  readonly apiKey: { readonly id: string; readonly name: string; readonly scopes: readonly string[] } | null;
  readonly permissions: PermissionSet;
  readonly ownerPermissions: PermissionMap;
  /** By `foreignId`, in the very shape of the REST answer. */
  readonly applicationPermissions: Readonly<
    Record<
      string,
      { readonly application_info: { readonly name: string } } & Record<ApplicationBucket, PermissionMap>
    >
  >;
}

export async function findViewer(foundation: Foundation, principal: Principal | undefined): Promise<Viewer> {
  const present = requirePrincipal(principal);
  if (present.kind === 'user') return viewerOf(present);
  return {
    organization: await locateOrganization(foundation.database, present.organizationId),
    user: null,
    apiKey: { id: present.apiKeyId, name: present.name, scopes: [...present.scopes] },
    permissions: { owner: [], applications: [] },
    ownerPermissions: permissionMap('owner', new Set()),
    applicationPermissions: {},
  };
}

export function viewerOf(user: UserPrincipal): Viewer {
  return {
    organization: { id: user.organizationId, name: user.organizationName },
    user: { id: user.userId, name: user.name, email: user.email },
    apiKey: null,
    permissions: permissionSetOf(namedGrants(user)),
    ownerPermissions: permissionMap('owner', user.grants.owner),
    applicationPermissions: Object.fromEntries(
      [...user.applications].map(([id, { foreignId, name }]) => {
        const held = (bucket: ApplicationBucket) =>
          permissionMap(bucket, user.grants.applications.get(id)?.[bucket] ?? new Set());
        return [
          foreignId,
          {
            application_info: { name },
            common: held('common'),
            administrator: held('administrator'),
            auditor: held('auditor'),
          },
        ];
      }),
    ),
  };
}

function namedGrants(user: UserPrincipal): [string, string, string | null][] {
  const owner = [...user.grants.owner].map((name): [string, string, null] => ['owner', name, null]);
  const applications = [...user.applications].flatMap(([id, { foreignId }]) =>
    APPLICATION_BUCKETS.flatMap((bucket) =>
      [...(user.grants.applications.get(id)?.[bucket] ?? [])].map((name): [string, string, string] => [
        bucket,
        name,
        foreignId,
      ]),
    ),
  );
  return [...owner, ...applications];
}
