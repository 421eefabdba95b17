import type { Actor } from './actor.js';
import { forbidden, unauthenticated } from '../../platform/kernel/errors.js';
import type { Id } from '../../platform/kernel/ids.js';
import {
  API_KEY_SCOPES,
  type ApiKeyScope,
  type ApplicationBucket,
  type Grants,
  type Permission,
} from './permissions/permissions.js';

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
  /** The membership of the person in this organization. */
  readonly userId: Id<'usr'>;
  /** How the person signs in. No organization sees it. */
  readonly accountId: Id<'acc'>;
  readonly sessionId: Id<'ses'>;
  readonly signedInAt: Date;
  /** When a second factor was last proven in this session. */
  readonly factorAt: Date | null;
  /** Whether the organization requires a second factor. */
  readonly isFactorRequired: boolean;
  readonly name: string;
  readonly email: string;
  readonly grants: Grants;
  /** The applications of the organization in which the user holds a permission, by id. */
  readonly applications: ReadonlyMap<string, { readonly foreignId: string; readonly name: string }>;
}

/** The caller, according to the credentials of this request; `undefined` without credentials. */
export type Principal = ApiKeyPrincipal | UserPrincipal;

export function actorOf(principal: Principal): Actor {
  return principal.kind === 'user'
    ? { id: principal.userId, name: principal.name }
    : { id: principal.apiKeyId, name: principal.name };
}

export function requirePrincipal(principal: Principal | undefined): Principal {
  if (!principal) throw unauthenticated();
  if (principal.kind === 'user') requireFactor(principal);
  return principal;
}

export function requireUser(principal: Principal | undefined): UserPrincipal {
  const user = requireSignedIn(principal);
  requireFactor(user);
  return user;
}

/** Only for operations on the caller's own account: a person who must still prove or add a second factor may call them. */
export function requireSignedIn(principal: Principal | undefined): UserPrincipal {
  if (!principal) throw unauthenticated();
  if (principal.kind !== 'user') throw forbidden('This needs a portal session. An API key cannot do it.');
  return principal;
}

/** @throws `FORBIDDEN` if the organization requires a second factor and none was proven in the session. */
export function requireFactor({
  isFactorRequired,
  factorAt,
}: Pick<UserPrincipal, 'isFactorRequired' | 'factorAt'>): void {
  if (!isFactorRequired || factorAt !== null) return;
  throw forbidden('Your organization requires a second factor: prove yours, or add one.', {
    reason: 'second_factor_required',
  });
}

/** The check of the Asset API: an API key with the scope, or a session with the corresponding owner permission. */
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

/** Refuses in the same way an unknown application, another organization's, and one without a permission of the user. */
export function requireApplicationPermission<B extends ApplicationBucket>(
  principal: Principal | undefined,
  foreignId: string,
  bucket: B,
  permission: Permission<B>,
): { user: UserPrincipal; applicationId: Id<'app'> } {
  const only = [bucket, permission] as unknown as ApplicationPermission;
  return requireSomeApplicationPermission(principal, foreignId, [only]);
}

/** The same check for users who hold at least one of several permissions. */
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
  throw withoutPermission(permissions);
}

/** It names what would be enough, which the operation alone decides: it says nothing about what exists. */
function withoutPermission(permissions: readonly ApplicationPermission[]) {
  const names = permissions.map(([bucket, permission]) => `the ${bucket} permission ${permission}`);
  return forbidden(`This needs ${names.join(' or ')} in the application.`);
}

/**
 * The applications in which the user holds at least one of several permissions: the named application, or all applications.
 * The refusal is the same as that of {@link requireSomeApplicationPermission}.
 */
export function requireApplicationsWith(
  principal: Principal | undefined,
  foreignId: string | null | undefined,
  permissions: readonly ApplicationPermission[],
): { user: UserPrincipal; applicationIds: readonly Id<'app'>[] } {
  if (foreignId != null) {
    const { user, applicationId } = requireSomeApplicationPermission(principal, foreignId, permissions);
    return { user, applicationIds: [applicationId] };
  }
  const user = requireUser(principal);
  const applicationIds = ([...user.applications.keys()] as Id<'app'>[])
    .filter((id) => permissions.some(([bucket, permission]) => holds(user, id, bucket, permission)))
    .sort();
  if (applicationIds.length === 0) throw withoutPermission(permissions);
  return { user, applicationIds };
}

function describeScope(principal: Principal, scope: ApiKeyScope): string {
  return principal.kind === 'api_key'
    ? `an API key with the scope ${scope}`
    : `the owner permission ${API_KEY_SCOPES[scope]}`;
}
