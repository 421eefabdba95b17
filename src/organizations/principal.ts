import type { Actor } from '../activity-log/index.js';
import { forbidden, unauthenticated } from '../kernel/errors.js';
import type { Id } from '../kernel/ids.js';
import {
  API_KEY_SCOPES,
  type ApiKeyScope,
  type ApplicationBucket,
  type Grants,
  type Permission,
} from './permissions.js';

export interface ApiKeyPrincipal {
  readonly kind: 'api_key';
  readonly organizationId: Id<'org'>;
  readonly apiKeyId: Id<'key'>;
  readonly name: string;
  readonly scopes: ReadonlySet<string>;
}

export interface UserPrincipal {
  readonly kind: 'user';
  readonly organizationId: Id<'org'>;
  readonly organizationName: string;
  readonly userId: Id<'usr'>;
  readonly sessionId: Id<'ses'>;
  readonly name: string;
  readonly email: string;
  readonly grants: Grants;
  /** The organization's applications for which the user holds anything, by id. */
  readonly applications: ReadonlyMap<string, { readonly foreignId: string; readonly name: string }>;
}

/** Who calls, as the credentials of this request show it; `undefined` is nobody. */
export type Principal = ApiKeyPrincipal | UserPrincipal;

export function actorOf(principal: Principal): Actor {
  return principal.kind === 'user'
    ? { id: principal.userId, name: principal.name }
    : { id: principal.apiKeyId, name: principal.name };
}

export function requirePrincipal(principal: Principal | undefined): Principal {
  if (!principal) throw unauthenticated();
  return principal;
}

export function requireUser(principal: Principal | undefined): UserPrincipal {
  const present = requirePrincipal(principal);
  if (present.kind !== 'user') throw forbidden('This needs a portal session; an API key cannot do it.');
  return present;
}

/** The Asset API's check: an API key with the scope, or a session holding the owner permission that stands for it. */
export function requireScope(principal: Principal | undefined, scope: ApiKeyScope): Principal {
  const present = requirePrincipal(principal);
  const allowed =
    present.kind === 'api_key' ? present.scopes.has(scope) : present.grants.owner.has(API_KEY_SCOPES[scope]);
  if (!allowed) throw forbidden(`This needs ${describeScope(present, scope)}.`);
  return present;
}

export function requireOwnerPermission(
  principal: Principal | undefined,
  permission: Permission<'owner'>,
): UserPrincipal {
  const user = requireUser(principal);
  if (!user.grants.owner.has(permission)) throw forbidden(`This needs the owner permission ${permission}.`);
  return user;
}

export function holdsApplicationPermission<B extends ApplicationBucket>(
  user: UserPrincipal,
  applicationId: string | null | undefined,
  bucket: B,
  permission: Permission<B>,
): boolean {
  return holds(user, applicationId, bucket, permission);
}

function holds(
  { grants }: UserPrincipal,
  applicationId: string | null | undefined,
  bucket: ApplicationBucket,
  permission: string,
): boolean {
  if (!applicationId) return false;
  return grants.applications.get(applicationId)?.[bucket].has(permission) ?? false;
}

/** A permission with the bucket it belongs to. */
export type ApplicationPermission = {
  [B in ApplicationBucket]: readonly [bucket: B, permission: Permission<B>];
}[ApplicationBucket];

/** Refused alike whether the application is unknown, another organization's, or merely not the user's. */
export function requireApplicationPermission<B extends ApplicationBucket>(
  principal: Principal | undefined,
  foreignId: string,
  bucket: B,
  permission: Permission<B>,
): { user: UserPrincipal; applicationId: Id<'app'> } {
  const only = [bucket, permission] as unknown as ApplicationPermission;
  return requireSomeApplicationPermission(principal, foreignId, [only]);
}

/** The same for those who hold at least one of several. */
export function requireSomeApplicationPermission(
  principal: Principal | undefined,
  foreignId: string,
  permissions: readonly ApplicationPermission[],
): { user: UserPrincipal; applicationId: Id<'app'> } {
  const user = requireUser(principal);
  for (const [applicationId, application] of user.applications) {
    if (
      application.foreignId === foreignId &&
      permissions.some(([bucket, permission]) => holds(user, applicationId, bucket, permission))
    ) {
      return { user, applicationId: applicationId as Id<'app'> };
    }
  }
  throw forbidden();
}

function describeScope(principal: Principal, scope: ApiKeyScope): string {
  return principal.kind === 'api_key'
    ? `an API key with the scope ${scope}`
    : `the owner permission ${API_KEY_SCOPES[scope]}`;
}
