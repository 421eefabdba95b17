import {
  ApplicationEntity,
  LegalHoldEntity,
  PendingGrantEntity,
  PermissionGrantEntity,
  ProposedOperationEntity,
  RetentionSettingEntity,
} from '../access/index.js';
import { AccountEntity } from './accounts/account.entity.js';
import { InvitationEntity } from './invitations/invitation.entity.js';
import { PasswordResetEntity } from './invitations/password-reset.entity.js';
import { ApiKeyEntity } from './keys/api-key.entity.js';
import { UserEntity } from './members/user.entity.js';
import { PasskeyEntity } from './passkeys/passkey.entity.js';
import { RecoveryCodeEntity } from './second-factor/recovery-code.entity.js';
import { UsedSignInAttemptEntity } from './oidc/used-sign-in-attempt.entity.js';
import { OrganizationEntity } from './organization.entity.js';
import { SecurityEventEntity } from './security-log/security-event.entity.js';
import { SessionEntity } from './sessions/session.entity.js';
import { SignInFailureEntity } from './sign-in-limits/sign-in-failure.entity.js';

export const organizationEntities = [
  OrganizationEntity,
  AccountEntity,
  UserEntity,
  ApplicationEntity,
  PermissionGrantEntity,
  PendingGrantEntity,
  ProposedOperationEntity,
  RetentionSettingEntity,
  LegalHoldEntity,
  InvitationEntity,
  PasswordResetEntity,
  PasskeyEntity,
  RecoveryCodeEntity,
  SessionEntity,
  ApiKeyEntity,
  SignInFailureEntity,
  UsedSignInAttemptEntity,
  SecurityEventEntity,
] as const;
