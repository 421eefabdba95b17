import { describe, expect, it } from '@jest/globals';
import { signIn } from '../../../../src/domain/organizations/index.js';
import { newDeviceToken } from '../../../../src/domain/organizations/sign-in-limits/known-device.js';
import { sql } from '../../../../src/platform/database/index.js';
import type { LucarneError } from '../../../../src/platform/kernel/errors.js';
import { OPERATOR } from '../../../../src/domain/access/index.js';
import { parsePermissionSet } from '../../../../src/domain/access/permissions/permission-set.js';
import { insertMember } from '../../../../src/domain/organizations/members/add-member.js';
import { hashPassword } from '../../../../src/domain/organizations/accounts/password.js';
import type { Id } from '../../../../src/platform/kernel/ids.js';
import { withinOneMinute } from '../../../kit/database/within-one-minute.js';
import { SEED_PASSWORD, seedOrganization, testFoundation } from '../../../kit/seed.js';
import { signInStories } from './sign-in-stories.js';

const OTHER_PASSWORD = 'quite another long password';

describe('failed sign-ins', () => {
  const stories = signInStories();
  const { newMember, refusal } = stories;

  it('are refused after five failures until the first of them is a minute old', async () => {
    const { email } = await newMember();
    for (let failure = 0; failure < 5; failure += 1) {
      expect(await refusal({ email, password: 'a wrong password' })).toMatchObject({
        code: 'UNAUTHENTICATED',
      });
      stories.instant += 1000;
    }
    expect(await refusal({ email, password: SEED_PASSWORD })).toMatchObject({
      code: 'TOO_MANY_REQUESTS',
      retryAfterSeconds: 55,
    });
    stories.instant += 55_000 - 1;
    expect(await refusal({ email, password: SEED_PASSWORD })).toMatchObject({
      code: 'TOO_MANY_REQUESTS',
      retryAfterSeconds: 1,
    });
    stories.instant += 1;
    const { principal } = await signIn(
      stories.foundation,
      { email, password: SEED_PASSWORD },
      stories.address,
    );
    expect(principal.email).toBe(email);
  });

  it('lock an address without an account too, regardless of case', async () => {
    const email = 'unknown@example.test';
    for (let failure = 0; failure < 5; failure += 1) {
      await refusal({ email: failure % 2 ? email : email.toUpperCase(), password: 'a wrong password' });
    }
    expect(await refusal({ email, password: 'x' })).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
  });

  it('are counted together for all spellings that the database treats as the same address', async () => {
    const { email } = await newMember();
    // `lower()` of many databases converts LATIN CAPITAL LETTER I WITH DOT ABOVE and KELVIN SIGN to i and k.
    const spellings = [`Kim.${email}`, `K\u0130m.${email}`, `\u212Aim.${email}`];
    await stories.database.transaction((transaction) =>
      transaction.rows(sql`update accounts set email = ${`kim.${email}`} where email = ${email}`),
    );
    const answers = await Promise.allSettled(
      spellings.map((spelling) =>
        signIn(stories.foundation, { email: spelling, password: SEED_PASSWORD }, '203.0.113.77'),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  });

  it('lock neither other accounts nor other client addresses', async () => {
    const { email } = await newMember();
    const neighbour = await newMember();
    for (let failure = 0; failure < 5; failure += 1) await refusal({ email, password: 'a wrong password' });
    expect(await refusal({ email, password: SEED_PASSWORD })).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    await signIn(stories.foundation, { email: neighbour.email, password: SEED_PASSWORD }, stories.address);
    await signIn(stories.foundation, { email, password: SEED_PASSWORD }, '198.51.100.8');
  });

  it('are counted together for an IPv6 network, because each client has 2^64 addresses', async () => {
    const { email } = await newMember();
    for (let failure = 0; failure < 5; failure += 1)
      await refusal({ email, password: 'a wrong password' }, `2001:db8:0:1::${failure}`);
    const credentials = { email, password: SEED_PASSWORD };
    expect(await refusal(credentials, '2001:db8:0:1:f::')).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    await signIn(stories.foundation, credentials, '2001:db8:0:2::1');
  });

  it('are refused from a client that tries many accounts, before a password is hashed', async () => {
    const spray = async (client: string) => {
      const codes: unknown[] = [];
      for (let attempt = 0; attempt < 61; attempt += 1) {
        const { code, reason } = await refusal(
          { email: `sprayed-${attempt}@example.test`, password: 'x' },
          client,
        );
        codes.push([code, reason]);
      }
      return codes;
    };
    let client = 1;
    const codes = await withinOneMinute(stories.database, () => spray(`198.51.100.${(client += 1)}`));
    expect(codes.slice(0, 60)).toEqual(Array(60).fill(['UNAUTHENTICATED', undefined]));
    expect(codes[60]).toEqual(['TOO_MANY_REQUESTS', 'rate_limited']);
  });

  describe('from many clients', () => {
    const guess = (email: string, place: number) =>
      refusal({ email, password: 'a wrong password' }, `198.19.${Math.floor(place / 250)}.${place % 250}`);

    /** Guesses, each from a different client, until the account must wait for a quarter of an hour. */
    async function guessUntilSlowed(email: string): Promise<void> {
      for (let failure = 0; failure < 20; failure += 1) {
        const refused = await guess(email, failure);
        if (refused.code === 'TOO_MANY_REQUESTS') {
          stories.instant += refused.retryAfterSeconds! * 1000;
          failure -= 1;
        }
      }
    }

    it('make guesses wait longer and longer, also for an address without an account', async () => {
      for (const email of [(await newMember()).email, 'besieged-nobody@example.test']) {
        for (let failure = 0; failure < 10; failure += 1)
          expect(await guess(email, failure)).toMatchObject({ code: 'UNAUTHENTICATED' });
        for (const seconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]) {
          expect(await guess(email, 100)).toMatchObject({
            code: 'TOO_MANY_REQUESTS',
            retryAfterSeconds: seconds,
          });
          stories.instant += seconds * 1000;
          expect(await guess(email, 200 + seconds)).toMatchObject({ code: 'UNAUTHENTICATED' });
        }
      }
    });

    it('do not slow a browser with which the person signed in before', async () => {
      const { email } = await newMember();
      const credentials = { email, password: SEED_PASSWORD };
      const { deviceToken } = await signIn(stories.foundation, credentials, stories.address);
      await guessUntilSlowed(email);
      expect(await refusal(credentials, '203.0.113.9')).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
      const { principal } = await signIn(
        stories.foundation,
        credentials,
        stories.address,
        undefined,
        deviceToken,
      );
      expect(principal.email).toBe(email);
    });

    it('cannot be allowed by the cookie of another account, of another gateway, or an invented one', async () => {
      const { email } = await newMember();
      const neighbour = await newMember();
      const own = await signIn(
        stories.foundation,
        { email: neighbour.email, password: SEED_PASSWORD },
        stories.address,
      );
      await guessUntilSlowed(email);
      const [account] = await stories.database.rows(
        sql<{ id: Id<'acc'> }>`select id from accounts where email = ${email}`,
      );
      const elsewhere = newDeviceToken(testFoundation(stories.database, stories.clock), account!.id);
      for (const token of [
        own.deviceToken,
        elsewhere,
        `${'A'.repeat(22)}.${'A'.repeat(43)}`,
        '',
        'x'.repeat(9000),
      ]) {
        await expect(
          signIn(stories.foundation, { email, password: SEED_PASSWORD }, '203.0.113.10', undefined, token),
        ).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' });
      }
    });

    it('cannot be allowed by the cookie of an account that another organization created for the same address', async () => {
      const { email } = await newMember();
      const attacker = await seedOrganization(stories.foundation, { name: 'Attacker' });
      const member = {
        email,
        name: 'Namesake',
        passwordHash: await hashPassword(stories.foundation, email, OTHER_PASSWORD),
      };
      await stories.database.transaction((transaction) =>
        insertMember(
          transaction,
          attacker.organization.id,
          member,
          parsePermissionSet({}),
          OPERATOR,
          stories.clock.now(),
        ),
      );
      const signInFrom = (password: string, token?: string) =>
        signIn(stories.foundation, { email, password }, stories.address, undefined, token);
      const { deviceToken } = await signInFrom(OTHER_PASSWORD);
      await guessUntilSlowed(email);
      await expect(signInFrom(SEED_PASSWORD, deviceToken)).rejects.toMatchObject({
        code: 'TOO_MANY_REQUESTS',
      });
      // The browser is known for the account that signed in there.
      expect((await signInFrom(OTHER_PASSWORD, deviceToken)).principal.name).toBe('Namesake');
    });

    it('are limited to five per minute for a known browser', async () => {
      const { email } = await newMember();
      const { deviceToken } = await signIn(
        stories.foundation,
        { email, password: SEED_PASSWORD },
        stories.address,
      );
      const codes: string[] = [];
      for (let failure = 0; failure < 6; failure += 1) {
        const wrong = { email, password: 'a wrong password' };
        const thrown = await signIn(
          stories.foundation,
          wrong,
          `203.0.113.${20 + failure}`,
          undefined,
          deviceToken,
        ).catch((error: unknown) => error as LucarneError);
        codes.push((thrown as LucarneError).code);
      }
      expect(codes).toEqual([...Array<string>(5).fill('UNAUTHENTICATED'), 'TOO_MANY_REQUESTS']);
    });
  });

  it('are limited when concurrent: five are answered, the rest are refused', async () => {
    const { email } = await newMember();
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => refusal({ email, password: 'a wrong password' })),
    );
    const codes = answers.map(({ code }) => code);
    expect(codes.filter((code) => code === 'UNAUTHENTICATED')).toHaveLength(5);
    expect(codes.filter((code) => code === 'TOO_MANY_REQUESTS')).toHaveLength(7);
  });
});
