import { randomBytes } from 'node:crypto';
import { createSealer } from '../../src/platform/crypto/index.js';
import { inProcessSignals } from '../../src/platform/signals/index.js';
import { type Database, type Foundation, sql } from '../../src/platform/database/index.js';
import { type Clock, systemClock } from '../../src/platform/kernel/clock.js';
import type { Id } from '../../src/platform/kernel/ids.js';
import { type Log, silentLog } from '../../src/platform/kernel/log.js';
import { systemRandom } from '../../src/platform/kernel/random.js';
import { createKeptSigningKeys } from '../../src/platform/keys/index.js';
import type { ApiKeySecret } from '../../src/domain/access/authentication/api-key.js';
import type { Application } from '../../src/domain/access/application.js';
import type { ApiKey } from '../../src/domain/organizations/keys/api-key-row.js';
import { createApiKey } from '../../src/domain/organizations/keys/create-api-key.js';
import { createApplication } from '../../src/domain/organizations/applications/create-application.js';
import { createOrganization } from '../../src/domain/organizations/create-organization.js';
import { insertMember } from '../../src/domain/organizations/members/add-member.js';
import { OPERATOR } from '../../src/domain/access/index.js';
import { operatorOf } from '../../src/domain/access/operator.js';
import {
  parsePermissionSet,
  type PermissionSetInput,
} from '../../src/domain/access/permissions/permission-set.js';
import { API_KEY_SCOPES, type ApiKeyScope } from '../../src/domain/access/permissions/permissions.js';
import type { ApiKeyPrincipal, UserPrincipal } from '../../src/domain/access/principal.js';
import { hashPassword } from '../../src/domain/organizations/accounts/password.js';
import {
  hashSessionToken,
  newSessionToken,
  type SessionToken,
} from '../../src/domain/access/authentication/session-lifetime.js';
import { findSessions } from '../../src/domain/access/authentication/find-sessions.js';
import { openSession } from '../../src/domain/organizations/sessions/sessions.js';
import { createTestDatabase } from './database/database.js';
import { forFile } from './for-file.js';

/** The password of all seeded users. */
export const SEED_PASSWORD = 'correct horse battery staple';
const SEED_CLIENT_ADDRESS = '192.0.2.1';

export interface SeededUser {
  readonly principal: UserPrincipal;
  readonly email: string;
  /** The token in the cookie of the principal's session. */
  readonly sessionToken: SessionToken;
}

export interface SeededOrganization {
  readonly organization: { readonly id: Id<'org'>; readonly name: string };
  /** Has every owner permission, and none in the application. */
  readonly owner: SeededUser;
  readonly application: Application;
  readonly apiKey: SeededApiKey;
}

export interface SeededApiKey {
  readonly principal: ApiKeyPrincipal;
  readonly apiKey: ApiKey;
  readonly secret: ApiKeySecret;
}

/** The requirements of every operation, with a random master key. Does not log unless a log is given. */
export function testFoundation(
  database: Database,
  clock: Clock = systemClock,
  log: Log = silentLog,
): Foundation {
  return {
    database,
    reads: database,
    signals: inProcessSignals(),
    clock,
    random: systemRandom,
    sealer: createSealer(randomBytes(32)),
    signingKeys: createKeptSigningKeys({}),
    log,
  };
}

/** A database for one test file, and `testFoundation` on it. */
export async function openTestFoundation(clock?: Clock, log?: Log) {
  const database = forFile(await createTestDatabase());
  return { database, foundation: testFoundation(database, clock, log) };
}

/** An organization with its owner, one application and one API key with every scope. */
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

/** Another signed-in member of the organization with `permissions`. */
export async function seedMember(
  foundation: Foundation,
  organizationId: Id<'org'>,
  permissions: PermissionSetInput = {},
  name = 'Member',
): Promise<SeededUser> {
  const email = uniqueEmail('member');
  const passwordHash = await hashPassword(foundation, email, SEED_PASSWORD);
  const id = await foundation.database.transaction((transaction) =>
    insertMember(
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

/** A session as after a sign-in, without the time for a password. */
export async function seedSession(
  foundation: Foundation,
  organizationId: Id<'org'>,
  user: { readonly id: Id<'usr'>; readonly name: string; readonly email: string },
): Promise<SeededUser> {
  const sessionToken = newSessionToken(foundation.random);
  const tokenHash = hashSessionToken(sessionToken);
  await foundation.database.transaction(async (transaction) => {
    await openSession(transaction, foundation, {
      member: { userId: user.id, organizationId, name: user.name },
      token: sessionToken,
      clientAddress: SEED_CLIENT_ADDRESS,
      at: foundation.clock.now(),
    });
    // A test's clock may be far behind the database's, which decides whether a session may still act.
    await transaction.rows(sql`
      update sessions set expires_at = greatest(expires_at, now() + interval '12 hours')
      where token_hash = ${tokenHash}`);
  });
  const [session] = await findSessions(foundation.database, [tokenHash]);
  return { principal: session!.principal, email: user.email, sessionToken };
}

function uniqueEmail(role: string): string {
  return `${role}-${randomBytes(6).toString('hex')}@example.test`;
}
