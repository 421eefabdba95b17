import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import { openPersonalValues, type Salts } from '../../src/activity-log/index.js';
import { sql, type Database, type Foundation } from '../../src/database/index.js';
import type { LucarneError } from '../../src/kernel/errors.js';
import type { JsonObject } from '../../src/kernel/json.js';
import {
  changePassword,
  createAuthenticator,
  disableTotp,
  enableTotp,
  proposeTotp,
  signIn,
  signOut,
  type SignInInput,
} from '../../src/organizations/index.js';
import { hashPassword, verifyPassword } from '../../src/organizations/password.js';
import { createTestDatabase } from '../kit/database.js';
import {
  SEED_PASSWORD,
  seedMember,
  seedOrganization,
  testFoundation,
  type SeededOrganization,
  type SeededUser,
} from '../kit/seed.js';

const ADDRESS = '198.51.100.7';

describe('signing in', () => {
  let database: Database;
  let foundation: Foundation;
  let seed: SeededOrganization;
  let instant = Date.parse('2026-11-21T10:00:00.000Z');
  const clock = { now: () => new Date(instant) };

  beforeAll(async () => {
    database = await createTestDatabase();
    foundation = testFoundation(database, clock);
    seed = await seedOrganization(foundation);
  });
  afterAll(async () => database[Symbol.asyncDispose]());

  const newMember = () => seedMember(foundation, seed.organization.id, {}, 'Mia Member');

  async function authenticate(sessionToken: string) {
    await using authenticator = createAuthenticator(foundation);
    return await authenticator.authenticate({ sessionToken });
  }

  async function refusal(input: SignInInput, address = ADDRESS, on = foundation): Promise<LucarneError> {
    try {
      await signIn(on, input, address);
    } catch (thrown) {
      return thrown as LucarneError;
    }
    throw new Error('The sign-in was let through.');
  }

  async function sessionEntries(sessionId: string) {
    const rows = await database.rows(sql<{ entry: JsonObject; salts: Salts }>`
      select entry, salts from activity_entries
      where entry->'object'->>'session_id' = ${sessionId} order by sequence`);
    return rows.map(({ entry, salts }) => openPersonalValues(entry, salts));
  }

  it('opens a session that the token shows from then on', async () => {
    const { email, principal } = await newMember();
    const signedIn = await signIn(foundation, { email, password: SEED_PASSWORD }, ADDRESS);
    expect(signedIn.token).toMatch(/^[0-9A-Za-z_-]{43}$/);
    expect(signedIn.principal.userId).toBe(principal.userId);
    expect(await authenticate(signedIn.token)).toEqual(signedIn.principal);
    expect(await sessionEntries(signedIn.principal.sessionId)).toMatchObject([
      { event_type: 'session.created', user: 'Mia Member', details: { client_address: ADDRESS } },
    ]);
  });

  it('leaves neither the token nor the password in the database', async () => {
    const { email } = await newMember();
    const { token } = await signIn(foundation, { email, password: SEED_PASSWORD }, ADDRESS);
    const rows = await database.rows(sql<{ text: string }>`
      select s::text as text from sessions s union all select u::text from users u
      union all select a::text from activity_entries a`);
    const stored = rows.map(({ text }) => text).join('\n');
    for (const secret of [token, SEED_PASSWORD]) {
      expect(stored).not.toContain(secret);
      expect(stored).not.toContain(Buffer.from(secret).toString('hex'));
    }
    expect(stored).not.toContain(Buffer.from(token, 'base64url').toString('hex'));
  });

  it('keeps passwords by argon2id at the strength that OWASP asks for', async () => {
    const rows = await database.rows(sql<{ hash: string }>`select password_hash as hash from users`);
    for (const { hash } of rows) expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('answers a wrong password and an unknown address alike, by the same steps', async () => {
    const { email } = await newMember();
    const steps: string[][] = [];
    const refusals: LucarneError[] = [];
    for (const address of [email, 'nobody@example.test']) {
      const taken: string[] = [];
      const observed: Foundation = {
        ...foundation,
        database: {
          ...database,
          rows: (query) => {
            taken.push('statement');
            return database.rows(query);
          },
          transaction: (work) => {
            taken.push('transaction');
            return database.transaction(work);
          },
        },
      };
      refusals.push(await refusal({ email: address, password: 'a wrong password' }, ADDRESS, observed));
      steps.push(taken);
    }
    expect(refusals[0]).toMatchObject({ code: 'UNAUTHENTICATED', reason: undefined });
    const shown = refusals.map(({ code, message, reason, retryAfterSeconds }) => ({
      code,
      message,
      reason,
      retryAfterSeconds,
    }));
    expect(shown[0]).toEqual(shown[1]);
    expect(steps[0]).toEqual(steps[1]);
  });

  it('is never let through without a password to compare with', async () => {
    for (const password of ['', SEED_PASSWORD, 'x'.repeat(100_000)]) {
      expect(await verifyPassword(null, password, ADDRESS)).toBe(false);
      expect(await verifyPassword(undefined, password, ADDRESS)).toBe(false);
    }
    const { email } = await newMember();
    expect(await refusal({ email, password: '' })).toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(await refusal({ email, password: 'x'.repeat(100_000) })).toMatchObject({
      code: 'UNAUTHENTICATED',
    });
  });

  it('is not kept from others by one client who tries many passwords at once', async () => {
    const hash = await hashPassword(SEED_PASSWORD);
    const tries = Array.from({ length: 64 }, () => verifyPassword(hash, 'a wrong password', '203.0.113.5'));
    const other = verifyPassword(hash, SEED_PASSWORD, ADDRESS);
    const answers = (await Promise.allSettled(tries)).map(({ status }) => status);
    expect(answers.filter((status) => status === 'rejected')).toHaveLength(48);
    expect(await other).toBe(true);
  });

  it('gives each of two sign-ins at once its own session', async () => {
    const { email } = await newMember();
    const credentials = { email, password: SEED_PASSWORD };
    const [first, second] = await Promise.all([
      signIn(foundation, credentials, ADDRESS),
      signIn(foundation, credentials, ADDRESS),
    ]);
    expect(first.token).not.toBe(second.token);
    expect(await authenticate(first.token)).toBeDefined();
    expect(await authenticate(second.token)).toBeDefined();
  });

  it('ends the session whose token came with it', async () => {
    const { email, sessionToken, principal } = await newMember();
    const { token } = await signIn(foundation, { email, password: SEED_PASSWORD }, ADDRESS, sessionToken);
    expect(token).not.toBe(sessionToken);
    expect(await authenticate(sessionToken)).toBeUndefined();
    expect(await authenticate(token)).toBeDefined();
    expect((await sessionEntries(principal.sessionId)).at(-1)).toMatchObject({
      event_type: 'session.ended',
      details: { reason: 'signed_in_again' },
    });
  });

  it('writes nothing to the log when it fails', async () => {
    const { email, sessionToken } = await newMember();
    const count = async () => (await database.rows(sql`select id from activity_entries`)).length;
    const before = await count();
    await expect(
      signIn(foundation, { email, password: 'a wrong password' }, ADDRESS, sessionToken),
    ).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(await count()).toBe(before);
    expect(await authenticate(sessionToken)).toBeDefined();
  });

  describe('too often wrong', () => {
    it('is refused after five failures until the first of them is a minute old', async () => {
      const { email } = await newMember();
      for (let failure = 0; failure < 5; failure += 1) {
        expect(await refusal({ email, password: 'a wrong password' })).toMatchObject({
          code: 'UNAUTHENTICATED',
        });
        instant += 1000;
      }
      expect(await refusal({ email, password: SEED_PASSWORD })).toMatchObject({
        code: 'TOO_MANY_REQUESTS',
        retryAfterSeconds: 55,
      });
      instant += 55_000 - 1;
      expect(await refusal({ email, password: SEED_PASSWORD })).toMatchObject({
        code: 'TOO_MANY_REQUESTS',
        retryAfterSeconds: 1,
      });
      instant += 1;
      const { principal } = await signIn(foundation, { email, password: SEED_PASSWORD }, ADDRESS);
      expect(principal.email).toBe(email);
    });

    it('locks an address that nobody has alike, in whatever case it is written', async () => {
      const email = 'unknown@example.test';
      for (let failure = 0; failure < 5; failure += 1) {
        await refusal({ email: failure % 2 ? email : email.toUpperCase(), password: 'a wrong password' });
      }
      expect(await refusal({ email, password: 'x' })).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    });

    it('counts no spelling apart that the database holds for the same address', async () => {
      const { email } = await newMember();
      // LATIN CAPITAL LETTER I WITH DOT ABOVE and KELVIN SIGN are i and k to `lower()` of many databases.
      const spellings = [`Kim.${email}`, `K\u0130m.${email}`, `\u212Aim.${email}`];
      await database.transaction((transaction) =>
        transaction.rows(sql`update users set email = ${`kim.${email}`} where email = ${email}`),
      );
      const answers = await Promise.allSettled(
        spellings.map((spelling) =>
          signIn(foundation, { email: spelling, password: SEED_PASSWORD }, '203.0.113.77'),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    });

    it('locks neither other accounts nor other client addresses', async () => {
      const { email } = await newMember();
      const neighbour = await newMember();
      for (let failure = 0; failure < 5; failure += 1) await refusal({ email, password: 'a wrong password' });
      expect(await refusal({ email, password: SEED_PASSWORD })).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
      await signIn(foundation, { email: neighbour.email, password: SEED_PASSWORD }, ADDRESS);
      await signIn(foundation, { email, password: SEED_PASSWORD }, '198.51.100.8');
    });

    it('counts all addresses of one IPv6 network as one: who has one of them has 2^64', async () => {
      const { email } = await newMember();
      for (let failure = 0; failure < 5; failure += 1)
        await refusal({ email, password: 'a wrong password' }, `2001:db8:0:1::${failure}`);
      const credentials = { email, password: SEED_PASSWORD };
      expect(await refusal(credentials, '2001:db8:0:1:f::')).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
      await signIn(foundation, credentials, '2001:db8:0:2::1');
    });

    it('counts failures that come at once: five are answered, the rest are refused', async () => {
      const { email } = await newMember();
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => refusal({ email, password: 'a wrong password' })),
      );
      const codes = answers.map(({ code }) => code);
      expect(codes.filter((code) => code === 'UNAUTHENTICATED')).toHaveLength(5);
      expect(codes.filter((code) => code === 'TOO_MANY_REQUESTS')).toHaveLength(7);
    });
  });

  describe('out', () => {
    it('ends this session, once, and no other of the user', async () => {
      const { email, principal, sessionToken } = await newMember();
      const elsewhere = await signIn(foundation, { email, password: SEED_PASSWORD }, ADDRESS);
      expect(await signOut(foundation, principal)).toBe(true);
      expect(await authenticate(sessionToken)).toBeUndefined();
      expect(await authenticate(elsewhere.token)).toBeDefined();
      expect(await signOut(foundation, principal)).toBe(false);
      expect((await sessionEntries(principal.sessionId)).map((entry) => entry['event_type'])).toEqual([
        'session.created',
        'session.ended',
      ]);
    });

    it('is nothing to do for nobody and for an API key', async () => {
      expect(await signOut(foundation, undefined)).toBe(false);
      expect(await signOut(foundation, seed.apiKey.principal)).toBe(false);
    });
  });

  describe('with a changed password', () => {
    it('ends all sessions of the user, and takes only the new password', async () => {
      const { email, principal, sessionToken } = await newMember();
      const elsewhere = await signIn(foundation, { email, password: SEED_PASSWORD }, ADDRESS);
      const bystander = await newMember();
      const change = { currentPassword: SEED_PASSWORD, newPassword: 'a new and longer one' };
      await changePassword(foundation, principal, change, ADDRESS);
      expect(await authenticate(sessionToken)).toBeUndefined();
      expect(await authenticate(elsewhere.token)).toBeUndefined();
      expect(await authenticate(bystander.sessionToken)).toBeDefined();
      expect(await refusal({ email, password: SEED_PASSWORD })).toMatchObject({ code: 'UNAUTHENTICATED' });
      await signIn(foundation, { email, password: change.newPassword }, ADDRESS);
    });

    it('needs the current one, and counts a wrong one as a failed sign-in', async () => {
      const { email, principal, sessionToken } = await newMember();
      const wrong = { currentPassword: 'a wrong password', newPassword: 'a new and longer one' };
      for (let failure = 0; failure < 5; failure += 1) {
        await expect(changePassword(foundation, principal, wrong, ADDRESS)).rejects.toMatchObject({
          code: 'BAD_USER_INPUT',
          message: 'currentPassword is wrong.',
        });
      }
      await expect(
        changePassword(foundation, principal, { ...wrong, currentPassword: SEED_PASSWORD }, ADDRESS),
      ).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' });
      expect(await refusal({ email, password: SEED_PASSWORD })).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
      expect(await authenticate(sessionToken)).toBeDefined();
    });

    it('leaves no session of a sign-in that compared with the old one', async () => {
      const { email, principal } = await newMember();
      const change = { currentPassword: SEED_PASSWORD, newPassword: 'a new and longer one' };
      // The password changes between the comparison and the session: the transaction finds out.
      let changed = false;
      const overtaken: Foundation = {
        ...foundation,
        database: {
          ...database,
          transaction: async (work) => {
            if (!changed) {
              changed = true;
              await changePassword(foundation, principal, change, ADDRESS);
            }
            return database.transaction(work);
          },
        },
      };
      expect(await refusal({ email, password: SEED_PASSWORD }, ADDRESS, overtaken)).toMatchObject({
        code: 'UNAUTHENTICATED',
      });
      const open = await database.rows(sql`
        select id from sessions where user_id = ${principal.userId} and ended_at is null`);
      expect(open).toEqual([]);
    });

    it('refuses a new one that is too short', async () => {
      const { principal } = await newMember();
      await expect(
        changePassword(
          foundation,
          principal,
          { currentPassword: SEED_PASSWORD, newPassword: 'short' },
          ADDRESS,
        ),
      ).rejects.toThrow('newPassword');
    });
  });

  describe('with an authenticator', () => {
    const codeOf = (secret: string, at = instant) =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at });

    async function enrol(): Promise<SeededUser & { secret: string }> {
      const member = await newMember();
      const { secret, uri } = proposeTotp(foundation, member.principal);
      expect(uri).toContain(`secret=${secret}`);
      const input = { password: SEED_PASSWORD, secret, totp: codeOf(secret) };
      await enableTotp(foundation, member.principal, input, ADDRESS);
      return { ...member, secret };
    }

    it('takes the code beside the password, one step early or late, and nothing else', async () => {
      const { email, secret } = await enrol();
      const credentials = { email, password: SEED_PASSWORD };
      instant += 300_000;
      const early = codeOf(secret, instant - 60_000);
      const late = codeOf(secret, instant + 60_000);
      for (const [index, totp] of [undefined, null, '', '12345', early, late].entries()) {
        expect(await refusal({ ...credentials, totp }, `203.0.113.${index}`)).toMatchObject({
          code: 'UNAUTHENTICATED',
        });
      }
      await signIn(foundation, { ...credentials, totp: codeOf(secret, instant - 30_000) }, ADDRESS);
      await signIn(foundation, { ...credentials, totp: codeOf(secret, instant + 30_000) }, ADDRESS);
    });

    it('takes a code once, also of two at the same time', async () => {
      const { email, secret } = await enrol();
      instant += 60_000;
      const credentials = { email, password: SEED_PASSWORD, totp: codeOf(secret) };
      const race = await Promise.allSettled([
        signIn(foundation, credentials, ADDRESS),
        signIn(foundation, credentials, '198.51.100.8'),
      ]);
      expect(race.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(await refusal(credentials)).toMatchObject({ code: 'UNAUTHENTICATED' });
    });

    it('has its secret only sealed in the database, and ends the sessions opened without it', async () => {
      const { sessionToken, secret, principal } = await enrol();
      expect(await authenticate(sessionToken)).toBeUndefined();
      const [row] = await database.rows(sql<{ sealed: Uint8Array }>`
        select sealed_totp_secret as sealed from users where id = ${principal.userId}`);
      expect(Buffer.from(row!.sealed).includes(Buffer.from(Secret.fromBase32(secret).bytes))).toBe(false);
    });

    it('is enabled only with its code and the password, and disabled only with both', async () => {
      const { principal, email, sessionToken } = await newMember();
      const { secret } = proposeTotp(foundation, principal);
      const right = { password: SEED_PASSWORD, secret, totp: codeOf(secret) };
      for (const wrong of [{ password: 'a wrong password' }, { totp: '000' }, { secret: 'ABC' }]) {
        await expect(
          enableTotp(foundation, principal, { ...right, ...wrong }, ADDRESS),
        ).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
      }
      expect(await authenticate(sessionToken)).toBeDefined();
      await enableTotp(foundation, principal, right, ADDRESS);
      await expect(enableTotp(foundation, principal, right, ADDRESS)).rejects.toMatchObject({
        code: 'CONFLICT',
      });
      await expect(
        disableTotp(foundation, principal, { password: SEED_PASSWORD, totp: right.totp }, ADDRESS),
      ).rejects.toMatchObject({ code: 'CONFLICT' });
      instant += 60_000;
      await disableTotp(foundation, principal, { password: SEED_PASSWORD, totp: codeOf(secret) }, ADDRESS);
      await signIn(foundation, { email, password: SEED_PASSWORD }, ADDRESS);
    });

    it('is no place to guess its codes: a wrong one counts as a failed sign-in', async () => {
      const { principal, email, secret } = await enrol();
      instant += 60_000;
      for (let failure = 0; failure < 5; failure += 1) {
        await expect(
          disableTotp(foundation, principal, { password: SEED_PASSWORD, totp: '000' }, ADDRESS),
        ).rejects.toMatchObject({ code: 'BAD_USER_INPUT', message: 'password or totp is wrong.' });
      }
      const right = { password: SEED_PASSWORD, totp: codeOf(secret) };
      await expect(disableTotp(foundation, principal, right, ADDRESS)).rejects.toMatchObject({
        code: 'TOO_MANY_REQUESTS',
      });
      expect(await refusal({ email, ...right })).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    });
  });
});
