import { randomBytes } from 'node:crypto';
import { createSealer } from '../../src/crypto/index.js';
import { inProcessSignals, type Database, type Foundation } from '../../src/database/index.js';
import { systemClock, type Clock } from '../../src/kernel/clock.js';
import type { Id } from '../../src/kernel/ids.js';
import { silentLog, type Log } from '../../src/kernel/log.js';
import { systemRandom } from '../../src/kernel/random.js';
import type { ApiKeySecret } from '../../src/organizations/api-key.js';
import type { Application } from '../../src/organizations/application.js';
import type { ApiKey } from '../../src/organizations/api-key-row.js';
import { createApiKey } from '../../src/organizations/create-api-key.js';
import { createApplication } from '../../src/organizations/create-application.js';
import { createOrganization } from '../../src/organizations/create-organization.js';
import { createUser } from '../../src/organizations/create-user.js';
import { operatorOf } from '../../src/organizations/operator.js';
import { parsePermissionSet, type PermissionSetInput } from '../../src/organizations/permission-set.js';
import { API_KEY_SCOPES, type ApiKeyScope } from '../../src/organizations/permissions.js';
import type { ApiKeyPrincipal, UserPrincipal } from '../../src/organizations/principal.js';
import { hashPassword } from '../../src/organizations/password.js';
import {
  hashSessionToken,
  newSessionToken,
  type SessionToken,
} from '../../src/organizations/session-lifetime.js';
import { findSessions, openSession } from '../../src/organizations/sessions.js';
import { OPERATOR } from '../../src/activity-log/index.js';

/** The password of everyone who is seeded. */
export const SEED_PASSWORD = 'correct horse battery staple';
export const SEED_CLIENT_ADDRESS = '192.0.2.1';

export interface SeededUser {
  readonly principal: UserPrincipal;
  readonly email: string;
  /** What the cookie of the principal's session carries. */
  readonly sessionToken: SessionToken;
}

export interface SeededOrganization {
  readonly organization: { readonly id: Id<'org'>; readonly name: string };
  /** Holds every owner permission and nothing in the application. */
  readonly owner: SeededUser;
  readonly application: Application;
  readonly apiKey: SeededApiKey;
}

export interface SeededApiKey {
  readonly principal: ApiKeyPrincipal;
  readonly apiKey: ApiKey;
  readonly secret: ApiKeySecret;
}

/** What every operation stands on, with a master key of its own, and silent unless a log is given. */
export function testFoundation(
  database: Database,
  clock: Clock = systemClock,
  log: Log = silentLog,
): Foundation {
  return {
    database,
    signals: inProcessSignals(),
    clock,
    random: systemRandom,
    sealer: createSealer(randomBytes(32)),
    log,
  };
}

/** An organization with its owner, one application and one API key that has every scope. */
export async function seedOrganization(
  foundation: Foundation,
  { name = 'Acme', foreignId = 'payments' }: { readonly name?: string; readonly foreignId?: string } = {},
): Promise<SeededOrganization> {
  const email = uniqueEmail('owner');
  const organization = await createOrganization(foundation, {
    name,
    owner: { email, name: `${name} Owner`, password: SEED_PASSWORD },
  });
  const application = await createApplication(foundation, operatorOf(organization.id), {
    foreignId,
    name: `${name} ${foreignId}`,
  });
  return {
    organization: { id: organization.id, name },
    owner: await seedSession(foundation, organization.id, { ...organization.owner, email }),
    application,
    apiKey: await seedApiKey(foundation, organization.id),
  };
}

/** Another member of the organization, signed in, who holds what `permissions` says. */
export async function seedMember(
  foundation: Foundation,
  organizationId: Id<'org'>,
  permissions: PermissionSetInput = {},
  name = 'Member',
): Promise<SeededUser> {
  const email = uniqueEmail('member');
  const passwordHash = await hashPassword(SEED_PASSWORD);
  const id = await foundation.database.transaction((transaction) =>
    createUser(
      transaction,
      organizationId,
      { email, name, passwordHash },
      parsePermissionSet(permissions),
      OPERATOR,
      foundation.clock.now(),
    ),
  );
  return seedSession(foundation, organizationId, { id, name, email });
}

export async function seedApiKey(
  foundation: Foundation,
  organizationId: Id<'org'>,
  scopes: readonly ApiKeyScope[] = Object.keys(API_KEY_SCOPES) as ApiKeyScope[],
): Promise<SeededApiKey> {
  const { apiKey, secret } = await createApiKey(foundation, operatorOf(organizationId), {
    name: 'Backend',
    scopes,
  });
  const principal: ApiKeyPrincipal = {
    kind: 'api_key',
    organizationId,
    apiKeyId: apiKey.id,
    name: apiKey.name,
    scopes: new Set(apiKey.scopes),
  };
  return { principal, apiKey, secret };
}

/** A session as a sign-in makes it, without the time a password takes. */
export async function seedSession(
  foundation: Foundation,
  organizationId: Id<'org'>,
  user: { readonly id: Id<'usr'>; readonly name: string; readonly email: string },
): Promise<SeededUser> {
  const sessionToken = newSessionToken(foundation.random);
  await foundation.database.transaction((transaction) =>
    openSession(
      transaction,
      { userId: user.id, organizationId, name: user.name },
      sessionToken,
      SEED_CLIENT_ADDRESS,
      foundation.clock.now(),
    ),
  );
  const [session] = await findSessions(foundation.database, [hashSessionToken(sessionToken)]);
  return { principal: session!.principal, email: user.email, sessionToken };
}

function uniqueEmail(role: string): string {
  return `${role}-${randomBytes(6).toString('hex')}@example.test`;
}
