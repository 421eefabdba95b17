import type { Foundation } from '../database/index.js';
import { ApiKeyResolver } from './api-key.resolver.js';
import { OidcResolver } from './oidc/oidc.resolver.js';
import type { OpenIdProvider } from './oidc/openid-provider.js';
import {
  ApplicationResolver,
  OrganizationInfoResolver,
  OrganizationResolver,
} from './organization.resolver.js';
import { SecurityLogResolver } from './security-log/security-log.resolver.js';
import { SessionResolver } from './session.resolver.js';

export { organizationEntities } from './entities.js';
/** Without a provider, sign-in by OpenID Connect is not there. */
export const organizationResolvers = (foundation: Foundation, openIdProvider?: OpenIdProvider) => [
  new SessionResolver(foundation),
  new OidcResolver(foundation, openIdProvider),
  new OrganizationResolver(foundation),
  new OrganizationInfoResolver(foundation),
  new ApplicationResolver(),
  new ApiKeyResolver(foundation),
  new SecurityLogResolver(foundation),
];

export { createAuthenticator, type Authenticator, type PresentedCredentials } from './authenticate.js';
export {
  actorOf,
  holdsApplicationPermission,
  requireApplicationPermission,
  requireOwnerPermission,
  requirePrincipal,
  requireScope,
  requireSomeApplicationPermission,
  requireUser,
  type ApiKeyPrincipal,
  type ApplicationPermission,
  type Principal,
  type UserPrincipal,
} from './principal.js';
export { operatorOf, requireOperatorOr, type Acting, type Caller, type Operator } from './operator.js';
export {
  API_KEY_SCOPES,
  APPLICATION_BUCKETS,
  BUCKETS,
  isApiKeyScope,
  isPermissionOf,
  PERMISSIONS,
  type ApiKeyScope,
  type ApplicationBucket,
  type Bucket,
  type Grants,
  type Permission,
} from './permissions.js';
export { requirePermissionStill } from './permission-grants.js';
export type { PermissionSet, PermissionSetInput } from './permission-set.js';
export type { RequestContext, SessionCookie } from './request-context.js';

export { findApplicationByForeignId, findApplicationById, type Application } from './application.js';
export { locateOrganization, requiresSecondPerson, type OrganizationInfo } from './find-organization.js';
export { ApplicationType, OrganizationType, UserType } from './organization.type.js';

export { addMember } from './add-member.js';
export type { ApiKey } from './api-key-row.js';
export { changePassword } from './change-password.js';
export { createApiKey } from './create-api-key.js';
export { createApplication } from './create-application.js';
export { createOrganization, type CreatedOrganization } from './create-organization.js';
export {
  createOpenIdProvider,
  type OpenIdProvider,
  type OpenIdProviderOptions,
} from './oidc/openid-provider.js';
export { listApiKeys } from './list-api-keys.js';
export { listApplications } from './list-applications.js';
export { listMembers } from './list-members.js';
export type { Member } from './member.js';
export { removeMember } from './remove-member.js';
export { revokeApiKey } from './revoke-api-key.js';
export { disableTotp, enableTotp, proposeTotp, type TotpEnrolment } from './second-factor.js';
export { createSecurityLog, type SecurityLog } from './security-log/security-log.js';
export { setPermissions } from './set-permissions.js';
export { signIn, type SignInInput } from './sign-in.js';
export { signOut } from './sign-out.js';
