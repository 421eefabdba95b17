import type { Foundation } from '../../../platform/database/index.js';
import { findOrganization, type OrganizationInfo } from '../find-organization.js';
import {
  APPLICATION_BUCKETS,
  type ApplicationBucket,
  type PermissionSet,
  permissionSetOf,
  type PermissionState,
  permissionStates,
  type Person,
  type Principal,
  requirePrincipal,
  type UserPrincipal,
} from '../../access/index.js';

type ApplicationPermissionStates = {
  readonly foreignId: string;
  readonly name: string;
} & Readonly<Record<ApplicationBucket, readonly PermissionState[]>>;

/** The caller with its permissions, as `GET /auth/me` returns it. */
export interface Viewer {
  readonly organization: OrganizationInfo;
  /** Null if an API key makes the call. */
  readonly principal: UserPrincipal | null;
  readonly user: Person | null;
  readonly apiKey: { readonly id: string; readonly name: string; readonly scopes: readonly string[] } | null;
  readonly permissions: PermissionSet;
  readonly ownerPermissions: readonly PermissionState[];
  readonly applicationPermissions: readonly ApplicationPermissionStates[];
}

export async function findViewer(foundation: Foundation, principal: Principal | undefined): Promise<Viewer> {
  // Also for sessions that must still prove a second factor.
  if (principal?.kind === 'user') return viewerOf(principal);
  const present = requirePrincipal(principal);
  if (present.kind === 'user') return viewerOf(present);
  return {
    organization: await findOrganization(foundation.database, present.organizationId),
    principal: null,
    user: null,
    apiKey: { id: present.apiKeyId, name: present.name, scopes: [...present.scopes] },
    permissions: { owner: [], applications: [] },
    ownerPermissions: permissionStates('owner', new Set()),
    applicationPermissions: [],
  };
}

export function viewerOf(user: UserPrincipal): Viewer {
  return {
    organization: { id: user.organizationId, name: user.organizationName },
    principal: user,
    user: { id: user.userId, name: user.name, email: user.email },
    apiKey: null,
    permissions: permissionSetOf(namedGrants(user)),
    ownerPermissions: permissionStates('owner', user.grants.owner),
    applicationPermissions: [...user.applications].map(([id, { foreignId, name }]) => {
      const states = (bucket: ApplicationBucket) =>
        permissionStates(bucket, user.grants.applications.get(id)?.[bucket] ?? new Set());
      return {
        foreignId,
        name,
        common: states('common'),
        administrator: states('administrator'),
        auditor: states('auditor'),
      };
    }),
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
