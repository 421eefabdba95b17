import { describe, expect, it } from '@jest/globals';
import { type Foundation, sql } from '../../../src/platform/database/index.js';
import { systemRandom } from '../../../src/platform/kernel/random.js';
import { newApiKeySecret } from '../../../src/domain/access/authentication/api-key.js';
import {
  createApiKey,
  removeMember,
  revokeApiKey,
  setPermissions,
} from '../../../src/domain/organizations/index.js';
import { createAuthenticator } from '../../../src/domain/access/index.js';
import { newSessionToken } from '../../../src/domain/access/authentication/session-lifetime.js';
import { seedApiKey, seedMember, seedOrganization, openTestFoundation } from '../../kit/seed.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse('2126-11-21T10:00:00.000Z');

let instant = START;
const clock = { now: () => new Date(instant) };
const { database, foundation } = await openTestFoundation(clock);
const seed = await seedOrganization(foundation);

describe('authentication', () => {
  /** Authenticates once, and waits until the last use is written. */
  async function authenticate(credentials: { bearer?: string; sessionToken?: string }, on = foundation) {
    await using authenticator = createAuthenticator(on);
    return await authenticator.authenticate(credentials);
  }

  function countingStatements(): { counted: Foundation; statements: () => number } {
    let statements = 0;
    const counted: Foundation = {
      ...foundation,
      database: {
        ...database,
        rows: (query) => {
          statements += 1;
          return database.rows(query);
        },
      },
    };
    return { counted, statements: () => statements };
  }

  it('yields no principal without credentials', async () => {
    expect(await authenticate({})).toBeUndefined();
  });

  describe('by API key', () => {
    it('yields the organization, the key and its scopes', async () => {
      const { secret, apiKey } = await seedApiKey(foundation, seed.organization.id, ['assets:read']);
      expect(await authenticate({ bearer: secret })).toEqual({
        kind: 'api_key',
        organizationId: seed.organization.id,
        apiKeyId: apiKey.id,
        name: 'Backend',
        scopes: new Set(['assets:read']),
      });
    });

    it('is refused for a key that was never created, and for text that is not a key', async () => {
      for (const bearer of [newApiKeySecret(systemRandom), 'lck_nothing', '', 'a'.repeat(10_000)]) {
        await expect(authenticate({ bearer })).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
      }
    });

    it('does not query the database for a key with a wrong checksum', async () => {
      const { counted, statements } = countingStatements();
      const { secret } = seed.apiKey;
      const mistyped = secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0');
      await expect(authenticate({ bearer: mistyped }, counted)).rejects.toMatchObject({
        code: 'UNAUTHENTICATED',
      });
      expect(statements()).toBe(0);
    });

    it('is refused on the next request after the key is revoked', async () => {
      const { secret, apiKey } = await seedApiKey(foundation, seed.organization.id);
      await using authenticator = createAuthenticator(foundation);
      expect(await authenticator.authenticate({ bearer: secret })).toBeDefined();
      await revokeApiKey(foundation, seed.owner.principal, apiKey.id);
      await expect(authenticator.authenticate({ bearer: secret })).rejects.toMatchObject({
        code: 'UNAUTHENTICATED',
      });
    });

    it('ends at the millisecond at which the key expires', async () => {
      const { secret } = await createApiKey(foundation, seed.owner.principal, {
        name: 'Short',
        scopes: ['assets:read'],
        expiresAt: new Date(instant + 1000),
      });
      instant += 999;
      expect(await authenticate({ bearer: secret })).toBeDefined();
      instant += 1;
      await expect(authenticate({ bearer: secret })).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    });

    it('reads the database once for hundreds of concurrent requests, and answers each correctly', async () => {
      const other = await seedOrganization(foundation, { name: 'Other' });
      const { counted, statements } = countingStatements();
      await using authenticator = createAuthenticator(counted);
      const answers = await Promise.allSettled(
        Array.from({ length: 300 }, (_, index) => {
          const bearer = [seed.apiKey.secret, other.apiKey.secret, newApiKeySecret(systemRandom)][index % 3];
          return authenticator.authenticate({ bearer: bearer! });
        }),
      );
      expect(statements()).toBe(1);
      const seen = answers.map((answer) =>
        answer.status === 'fulfilled' ? answer.value?.organizationId : 'refused',
      );
      expect(seen).toEqual(
        seen.map((_, index) => [seed.organization.id, other.organization.id, 'refused'][index % 3]),
      );
    });

    it('records the last use at most once a minute', async () => {
      const { secret, apiKey } = await seedApiKey(foundation, seed.organization.id);
      const lastUsedAt = async () =>
        (
          await database.rows(sql<{ at: Date | null }>`
            select last_used_at as at from api_keys where id = ${apiKey.id}`)
        )[0]?.at;
      const first = new Date(instant);
      await authenticate({ bearer: secret });
      expect(await lastUsedAt()).toEqual(first);
      instant += MINUTE - 1;
      await authenticate({ bearer: secret });
      expect(await lastUsedAt()).toEqual(first);
      instant += 1;
      await authenticate({ bearer: secret });
      expect(await lastUsedAt()).toEqual(new Date(instant));
    });

    it('allows the request when the last use cannot be recorded, and logs the failure', async () => {
      const { secret } = await seedApiKey(foundation, seed.organization.id);
      const logged: string[] = [];
      const broken: Foundation = {
        ...foundation,
        database: { ...database, transaction: () => Promise.reject(new Error('read only')) },
        log: { ...foundation.log, warn: (_members, message) => void logged.push(message) },
      };
      expect(await authenticate({ bearer: secret }, broken)).toBeDefined();
      expect(logged).toEqual(['Recording the last use of keys and sessions failed.']);
    });
  });

  describe('by session', () => {
    it('yields the user and the user’s permissions in each application', async () => {
      const member = await seedMember(
        foundation,
        seed.organization.id,
        {
          owner: ['applications:read'],
          applications: [{ foreignId: 'payments', auditor: ['cases:create', 'reports:list'] }],
        },
        'Ana',
      );
      expect(await authenticate({ sessionToken: member.sessionToken })).toMatchObject({
        kind: 'user',
        organizationId: seed.organization.id,
        organizationName: 'Acme',
        name: 'Ana',
        email: member.email,
        grants: {
          owner: new Set(['applications:read']),
          applications: new Map([
            [
              seed.application.id,
              {
                common: new Set(),
                administrator: new Set(),
                auditor: new Set(['cases:create', 'reports:list']),
              },
            ],
          ]),
        },
        applications: new Map([
          [seed.application.id, { foreignId: 'payments', name: seed.application.name }],
        ]),
      });
    });

    it('yields no principal for a malformed or unknown token', async () => {
      for (const sessionToken of ['', 'x', newSessionToken(systemRandom), 'é'.repeat(43)]) {
        expect(await authenticate({ sessionToken })).toBeUndefined();
      }
    });

    it('ends at the millisecond at which the session has been idle for 30 minutes', async () => {
      const { sessionToken } = await seedMember(foundation, seed.organization.id);
      instant += 30 * MINUTE - 1;
      expect(await authenticate({ sessionToken })).toBeDefined();
      instant += 30 * MINUTE - 1;
      expect(await authenticate({ sessionToken })).toBeDefined();
      instant += 30 * MINUTE;
      expect(await authenticate({ sessionToken })).toBeUndefined();
    });

    it('ends at the millisecond at which the session is 12 hours old, even if it is in use', async () => {
      const { sessionToken } = await seedMember(foundation, seed.organization.id);
      const opened = instant;
      while (instant < opened + 12 * HOUR - 20 * MINUTE) {
        instant += 20 * MINUTE;
        expect(await authenticate({ sessionToken })).toBeDefined();
      }
      instant = opened + 12 * HOUR - 1;
      expect(await authenticate({ sessionToken })).toBeDefined();
      instant += 1;
      expect(await authenticate({ sessionToken })).toBeUndefined();
    });

    it('applies changed permissions on the next request', async () => {
      const seeded = await seedOrganization(foundation);
      const member = await seedMember(foundation, seeded.organization.id, { owner: ['reports:list'] });
      await using authenticator = createAuthenticator(foundation);
      const held = async () => {
        const principal = await authenticator.authenticate({ sessionToken: member.sessionToken });
        return principal?.kind === 'user' ? [...principal.grants.owner] : undefined;
      };
      expect(await held()).toEqual(['reports:list']);
      await setPermissions(foundation, seeded.owner.principal, {
        memberId: member.principal.userId,
        permissions: { owner: ['relays:read'] },
      });
      expect(await held()).toEqual(['relays:read']);
      await removeMember(foundation, seeded.owner.principal, member.principal.userId);
      expect(await held()).toBeUndefined();
    });

    it('is ignored if the request has a bearer key', async () => {
      const { sessionToken } = await seedMember(foundation, seed.organization.id);
      await expect(authenticate({ bearer: 'lck_wrong', sessionToken })).rejects.toMatchObject({
        code: 'UNAUTHENTICATED',
      });
    });
  });
});
