import { ApiKeyRecord } from './api-key.entity.js';
import { ApplicationRecord } from './application.entity.js';
import { Membership } from './membership.entity.js';
import { Organization } from './organization.entity.js';
import { Session } from './session.entity.js';
import { User } from './user.entity.js';

/** Permission grants have no key of their own and are written in SQL (`grants.ts`). */
export const organizationEntities = [
  Organization,
  User,
  Membership,
  ApplicationRecord,
  Session,
  ApiKeyRecord,
] as const;
