import { describe, expect, it } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import { disableTotp, enableTotp, proposeTotp, signIn } from '../../../../src/domain/organizations/index.js';
import { sql } from '../../../../src/platform/database/index.js';
import type { LucarneError } from '../../../../src/platform/kernel/errors.js';
import { SEED_PASSWORD, type SeededUser, seedSession } from '../../../kit/seed.js';
import { signInStories } from './sign-in-stories.js';

describe('signing in with an authenticator', () => {
  const stories = signInStories();
  const { newMember, authenticate, refusal } = stories;

  const codeOf = (secret: string, at = stories.instant) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at });

  async function enrol(): Promise<SeededUser & { secret: string }> {
    const member = await newMember();
    const { secret, uri } = proposeTotp(stories.foundation, member.principal);
    expect(uri).toContain(`secret=${secret}`);
    const input = { password: SEED_PASSWORD, secret, totp: codeOf(secret) };
    await enableTotp(stories.foundation, member.principal, input, stories.address);
    return { ...member, secret };
  }

  it('accepts the code with the password, at most one step early or late', async () => {
    const { email, secret } = await enrol();
    const credentials = { email, password: SEED_PASSWORD };
    stories.instant += 300_000;
    const early = codeOf(secret, stories.instant - 60_000);
    const late = codeOf(secret, stories.instant + 60_000);
    for (const [index, totp] of [undefined, null, '', '12345', early, late].entries()) {
      expect(await refusal({ ...credentials, totp }, `203.0.113.${index}`)).toMatchObject({
        code: 'UNAUTHENTICATED',
      });
    }
    await signIn(
      stories.foundation,
      { ...credentials, totp: codeOf(secret, stories.instant - 30_000) },
      stories.address,
    );
    await signIn(
      stories.foundation,
      { ...credentials, totp: codeOf(secret, stories.instant + 30_000) },
      stories.address,
    );
  });

  it('accepts a code once, even if it is used twice concurrently', async () => {
    const { email, secret } = await enrol();
    stories.instant += 60_000;
    const credentials = { email, password: SEED_PASSWORD, totp: codeOf(secret) };
    const race = await Promise.allSettled([
      signIn(stories.foundation, credentials, stories.address),
      signIn(stories.foundation, credentials, '198.51.100.8'),
    ]);
    expect(race.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await refusal(credentials)).toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('stores its secret only encrypted, and ends the sessions opened without it', async () => {
    const { sessionToken, secret, principal } = await enrol();
    expect(await authenticate(sessionToken)).toBeUndefined();
    const [row] = await stories.database.rows(sql<{ sealed: Uint8Array }>`
      select sealed_totp_secret as sealed from accounts where id = ${principal.accountId}`);
    expect(Buffer.from(row!.sealed).includes(Buffer.from(Secret.fromBase32(secret).bytes))).toBe(false);
  });

  it('is enabled only with its code and the password, and disabled only with both', async () => {
    const { principal, email, sessionToken } = await newMember();
    const { secret } = proposeTotp(stories.foundation, principal);
    const right = { password: SEED_PASSWORD, secret, totp: codeOf(secret) };
    for (const wrong of [{ password: 'a wrong password' }, { totp: '000' }, { secret: 'ABC' }]) {
      await expect(
        enableTotp(stories.foundation, principal, { ...right, ...wrong }, stories.address),
      ).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
    }
    expect(await authenticate(sessionToken)).toBeDefined();
    await enableTotp(stories.foundation, principal, right, stories.address);
    await expect(enableTotp(stories.foundation, principal, right, stories.address)).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    await expect(
      disableTotp(
        stories.foundation,
        principal,
        { password: SEED_PASSWORD, totp: right.totp },
        stories.address,
      ),
    ).rejects.toMatchObject({ code: 'CONFLICT' });
    stories.instant += 60_000;
    const { organizationId, userId: id } = principal;
    const again = await seedSession(stories.foundation, organizationId, { id, ...principal });
    await disableTotp(
      stories.foundation,
      again.principal,
      { password: SEED_PASSWORD, totp: codeOf(secret) },
      stories.address,
    );
    await signIn(stories.foundation, { email, password: SEED_PASSWORD }, stories.address);
  });

  it('counts a wrong code as a failed sign-in, also when it is being disabled', async () => {
    const { principal, email, secret } = await enrol();
    stories.instant += 60_000;
    for (let failure = 0; failure < 5; failure += 1) {
      await expect(
        disableTotp(stories.foundation, principal, { password: SEED_PASSWORD, totp: '000' }, stories.address),
      ).rejects.toMatchObject({ code: 'BAD_USER_INPUT', message: 'password or totp is wrong.' });
    }
    const right = { password: SEED_PASSWORD, totp: codeOf(secret) };
    await expect(disableTotp(stories.foundation, principal, right, stories.address)).rejects.toMatchObject({
      code: 'TOO_MANY_REQUESTS',
    });
    expect(await refusal({ email, ...right })).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
  });

  it('counts wrong codes of an account without a password, too', async () => {
    const { principal } = await enrol();
    await stories.database.rows(
      sql`update accounts set password_hash = null where id = ${principal.accountId}`,
    );
    const fresh = { ...principal, factorAt: stories.clock.now() };
    const codes: string[] = [];
    for (let guess = 0; guess < 6; guess += 1) {
      const guessed = disableTotp(stories.foundation, fresh, { totp: '000000' }, stories.address);
      codes.push(await guessed.then(String, (thrown: unknown) => (thrown as LucarneError).code));
    }
    expect(codes).toEqual([...Array<string>(5).fill('BAD_USER_INPUT'), 'TOO_MANY_REQUESTS']);
  });
});
