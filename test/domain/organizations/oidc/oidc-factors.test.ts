import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import { FRESH_FACTOR_MS, PERMISSIONS, type UserPrincipal } from '../../../../src/domain/access/index.js';
import {
  createApiKey,
  enableTotp,
  type OpenIdProvider,
  proposeTotp,
} from '../../../../src/domain/organizations/index.js';
import { completeOidcSignIn } from '../../../../src/domain/organizations/oidc/complete-oidc-sign-in.js';
import { newAttempt, sealAttempt } from '../../../../src/domain/organizations/oidc/sign-in-attempt.js';
import { sql } from '../../../../src/platform/database/index.js';
import { seedMember, seedOrganization, openTestFoundation } from '../../../kit/seed.js';

const ADDRESS = '198.51.100.71';

const instant = Date.parse('2126-11-21T10:00:00.000Z');
const { database, foundation } = await openTestFoundation({ now: () => new Date(instant) });

describe('the factors that an identity provider asked for', () => {
  /** An owner, in an organization that requires a second factor, whom the provider asked for factors at that time. */
  const signedIn = async (authenticatedAt: Date | null): Promise<UserPrincipal> => {
    const { organization } = await seedOrganization(foundation);
    const { email } = await seedMember(foundation, organization.id, { owner: PERMISSIONS.owner });
    await database.rows(
      sql`update organizations set require_second_factor = true where id = ${organization.id}`,
    );
    const attempt = newAttempt(foundation, '/');
    const provider: OpenIdProvider = {
      authorizationUrl: () => Promise.reject(new Error('The attempt has begun.')),
      identify: () =>
        Promise.resolve({
          ...{ issuer: 'https://id.example', subject: randomBytes(8).toString('hex') },
          ...{ multiFactor: true, authenticatedAt },
          verifiedEmail: () => Promise.resolve(email),
        }),
    };
    const presented = { attempt: sealAttempt(foundation, attempt), session: undefined };
    const response = { state: attempt.state, code: 'code' };
    return (await completeOidcSignIn(foundation, provider, response, presented, ADDRESS)).principal;
  };
  const decide = (principal: UserPrincipal) =>
    createApiKey(foundation, principal, { name: 'Key', scopes: ['assets:read'] });
  const enrol = (principal: UserPrincipal) => {
    const { secret } = proposeTotp(foundation, principal);
    const totp = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: instant });
    return enableTotp(foundation, principal, { secret, totp }, ADDRESS);
  };
  const STALE = { reason: 'fresh_factor_required' };

  it('just now let the person decide, and add their own factor', async () => {
    const principal = await signedIn(new Date(instant - 10_000));
    await decide(principal);
    await enrol(principal);
  });

  it('earlier are no fresher than the provider says, however new the session is', async () => {
    const principal = await signedIn(new Date(instant - FRESH_FACTOR_MS));
    await expect(decide(principal)).rejects.toMatchObject(STALE);
    // The sign-in is no proof of the person, either.
    await expect(enrol(principal)).rejects.toThrow('password is needed');
  });

  it('are not fresh if it does not say when it asked, but the person can add a factor', async () => {
    const principal = await signedIn(null);
    expect(principal.factorAt).not.toBeNull();
    await expect(decide(principal)).rejects.toMatchObject(STALE);
    await enrol(principal);
  });
});
