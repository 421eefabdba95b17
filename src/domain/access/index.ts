export {
  type RequestContext,
  type SessionCookie,
  requireCookie,
  requireUnchanged,
  withCallerNow,
} from './request-context.js';
export {
  type Authenticator,
  type PresentedCredentials,
  createAuthenticator,
} from './authentication/authenticate.js';
export {
  type Principal,
  type ApplicationPermission,
  holdsApplicationPermission,
  requireApplicationPermission,
  requireSomeApplicationPermission,
  requireApplicationsWith,
  type UserPrincipal,
  actorOf,
  requireScope,
  requireOwnerPermission,
  requireSignedIn,
  requireUser,
  requirePrincipal,
  type ApiKeyPrincipal,
} from './principal.js';
export {
  type Acting,
  actingAs,
  type Operator,
  operatorOf,
  requireOperatorOr,
  type Caller,
} from './operator.js';
export {
  type PermissionSetInput,
  EVERY_OWNER_PERMISSION,
  type PermissionState,
  permissionStates,
  permissionSetOf,
  type PermissionSet,
  parsePermissionSet,
} from './permissions/permission-set.js';
export {
  PERMISSIONS,
  PERMISSION_TABLE,
  API_KEY_SCOPES,
  needsScope,
  type Permission,
  BUCKETS,
  APPLICATION_BUCKETS,
  type ApplicationBucket,
  type ApiKeyScope,
  isApiKeyScope,
  type Bucket,
} from './permissions/permissions.js';
export {
  type ApplicationOf,
  createApplicationOf,
  findApplicationByForeignId,
  findApplicationById,
  selectApplications,
  type Application,
} from './application.js';
export {
  FRESH_FACTOR_MS,
  freshFactorRequired,
  hasFreshFactor,
  NEEDS_FRESH_FACTOR,
  requireFreshFactor,
} from './second-factor.js';
export {
  type ActingPerson,
  repeatableBy,
  requireActingSession,
  requireOpenSession,
  requireOperatorOrStill,
  requirePermissionStill,
  requireScopeStill,
} from './still-permitted.js';
export { lockOrganization } from './lock-organization.js';
export { GATEWAY, OPERATOR, type Actor } from './actor.js';
export { encodeBase62 } from './authentication/base62.js';
export {
  hashSessionToken,
  newSessionToken,
  type SessionToken,
  SESSION_LIFETIME_MS,
  parseSessionToken,
  SESSION_IDLE_MS,
} from './authentication/session-lifetime.js';
export { isLastUseDue } from './authentication/last-use.js';
export { findSessions } from './authentication/find-sessions.js';
export { requirePermissionSetExists, managersAmong } from './permissions/permission-grants.js';
export {
  displayPrefixOf,
  hashApiKeySecret,
  newApiKeySecret,
  type ApiKeySecret,
} from './authentication/api-key.js';
export type { Person } from './person.js';
export { createPersonOf, type PersonOf } from './people.js';
export { PersonType } from './person.type.js';
export { ApplicationEntity } from './application.entity.js';
export { PermissionGrantEntity } from './permissions/permission-grant.entity.js';
export {
  confirmGrant,
  grantPermissions,
  removePermissions,
  selectPendingGrants,
  suspendDecidingPermissions,
} from './second-person/grant-permissions.js';
export { PendingGrantEntity } from './second-person/pending-grant.entity.js';
export { ProposedOperationEntity } from './second-person/proposed-operation.entity.js';
export {
  requireGivesOthers,
  requireOtherPerson,
  requireProposer,
  requiresSecondPerson,
} from './second-person/second-person.js';
export {
  PERMISSION_OF_PROPOSED,
  type PermissionOfProposed,
  PROPOSED_OPERATIONS,
  type ProposedOperation,
  UNDER_SECOND_PERSON_RULE,
  WAIT_OF_PROPOSED_MS,
} from './second-person/second-person-table.js';
export {
  DEFAULT_RETENTION_YEARS,
  MAX_RETENTION_YEARS,
  MIN_RETENTION_YEARS,
  RETENTION_KINDS,
  type RetentionKind,
  type RetentionRule,
} from './retention/retention-kinds.js';
export { isHeld, requireNoLegalHold, selectHoldsInForce } from './retention/legal-holds.js';
export { LegalHoldEntity, RetentionSettingEntity } from './retention/retention.entity.js';
