import type { Foundation } from '../../platform/database/index.js';
import { ApplicationResolver } from './applications/application.resolver.js';
import { InvitationResolver } from './invitations/invitation.resolver.js';
import type { PublicSite } from './public-site.js';
import { ApiKeyResolver } from './keys/api-key.resolver.js';
import { MemberResolver } from './members/member.resolver.js';
import { OidcResolver } from './oidc/oidc.resolver.js';
import type { OpenIdProvider } from './oidc/openid-provider.js';
import { OrganizationResolver } from './organization.resolver.js';
import { SecondFactorResolver } from './second-factor/second-factor.resolver.js';
import { RetentionResolver } from './retention/retention.resolver.js';
import { SecurityLogResolver } from './security-log/security-log.resolver.js';
import { SessionResolver } from './sessions/session.resolver.js';
import { ViewerResolver } from './sessions/viewer.resolver.js';
import { type DemoAccount, type EmbeddedDemo } from './sign-in/sign-in-options.js';
import { SignInOptionsResolver } from './sign-in/sign-in-options.resolver.js';
import { SignInResolver } from './sign-in/sign-in.resolver.js';
import { SigningKeyResolver } from './signing-keys/signing-key.resolver.js';

export { hasPasswordHashesInClear, keyPasswordHashes } from './accounts/keyed-hash.js';
export { SEALED_TOTP_SECRETS } from './second-factor/totp.js';
export type { DemoAccount, EmbeddedDemo };
export { organizationEntities } from './entities.js';
export interface OrganizationParts extends PublicSite {
  /** Without a provider there is no sign-in by OpenID Connect. */
  readonly openIdProvider?: OpenIdProvider | undefined;
  /** None by default. */
  readonly demo?: EmbeddedDemo | undefined;
}

export const organizationResolvers = (foundation: Foundation, parts: OrganizationParts) => [
  new SignInResolver(foundation, parts),
  new SignInOptionsResolver(foundation, parts.openIdProvider, parts.demo),
  new SecondFactorResolver(foundation, parts),
  new SessionResolver(foundation),
  new ViewerResolver(foundation),
  new OidcResolver(foundation, parts.openIdProvider),
  new OrganizationResolver(foundation),
  new MemberResolver(foundation),
  new InvitationResolver(foundation, parts),
  new ApplicationResolver(foundation),
  new ApiKeyResolver(foundation),
  new SecurityLogResolver(foundation),
  new SigningKeyResolver(foundation),
  new RetentionResolver(foundation),
];

export { findOrganization } from './find-organization.js';

export { ApplicationType } from './applications/application.type.js';

export { addMember } from './members/add-member.js';
export type { Mail, Mailer } from './public-site.js';
export type { ApiKey } from './keys/api-key-row.js';
export { changePassword } from './sign-in/change-password.js';
export { createApiKey } from './keys/create-api-key.js';
export { createApplication } from './applications/create-application.js';
export { createOrganization } from './create-organization.js';
export { createOpenIdProvider, type OpenIdProvider } from './oidc/openid-provider.js';
export { listApiKeys } from './keys/list-api-keys.js';
export { listApplications } from './applications/list-applications.js';
export { erasePersonalValues } from './members/erase-personal-values.js';
export { listMembers } from './members/list-members.js';
export { removeMember } from './members/remove-member.js';
export { revokeApiKey } from './keys/revoke-api-key.js';
export { disableTotp, enableTotp, proposeTotp } from './second-factor/authenticator.js';
export { createSecurityLog, type SecurityLog } from './security-log/security-log.js';
export { setPermissions } from './members/set-permissions.js';
export { signIn, type SignInInput } from './sign-in/sign-in.js';
export { withSecondPerson } from './second-person/with-second-person.js';
export { readRetention } from './retention/read-retention.js';
export { retainedInvitations } from './retention/retained-invitations.js';
export { sweepRetention } from './retention/sweep-retention.js';
export { sweepSecurityEvents } from './security-log/sweep-security-events.js';
export { sweepSessions } from './sessions/sweep-sessions.js';
export { useOnce } from './sessions/use-once.js';
export { signOut } from './sessions/sign-out.js';
