import { describe, expect, it } from '@jest/globals';
import { verify } from '@node-rs/argon2';
import { signIn, signOut } from '../../../../src/domain/organizations/index.js';
import { comparePassword, hashPassword } from '../../../../src/domain/organizations/accounts/password.js';
import { type Foundation, sql } from '../../../../src/platform/database/index.js';
import type { JsonObject } from '../../../../src/platform/kernel/encoding/json.js';
import type { LucarneError } from '../../../../src/platform/kernel/errors.js';
import { countingTurns } from '../../../kit/process/event-loop.js';
import { SEED_PASSWORD } from '../../../kit/seed.js';
import { signInStories } from './sign-in-stories.js';

const stranger = (clientAddress: string) => ({ clientAddress, isKnown: false });

describe('signing in', () => {
  const stories = signInStories();
  const { newMember, authenticate, refusal, sessionEntries } = stories;

  it('opens a session that the token gives access to', async () => {
    const { email, principal } = await newMember();
    const signedIn = await signIn(stories.foundation, { email, password: SEED_PASSWORD }, stories.address);
    expect(signedIn.token).toMatch(/^[0-9A-Za-z_-]{43}$/);
    expect(signedIn.principal.userId).toBe(principal.userId);
    expect(await authenticate(signedIn.token)).toEqual(signedIn.principal);
    expect(await sessionEntries(signedIn.principal.sessionId)).toMatchObject([
      {
        event_type: 'session.created',
        user: 'Mia Member',
        details: { client_digest: expect.stringMatching(/^[0-9a-f]{32}$/) },
      },
    ]);
  });

  it('logs which sessions came from the same client, but not from which client', async () => {
    const { email } = await newMember();
    const digests: unknown[] = [];
    for (const address of [stories.address, stories.address, '203.0.113.200']) {
      const { principal } = await signIn(stories.foundation, { email, password: SEED_PASSWORD }, address);
      const [entry] = await sessionEntries(principal.sessionId);
      digests.push((entry!['details'] as JsonObject)['client_digest']);
    }
    expect(digests[1]).toBe(digests[0]);
    expect(digests[2]).not.toBe(digests[0]);
    const rows = await stories.database.rows(
      sql<{ text: string }>`select a::text as text from activity_entries a`,
    );
    expect(rows.map(({ text }) => text).join()).not.toContain(stories.address);
  });

  it('leaves neither the token nor the password in the database', async () => {
    const { email } = await newMember();
    const { token } = await signIn(stories.foundation, { email, password: SEED_PASSWORD }, stories.address);
    const rows = await stories.database.rows(sql<{ text: string }>`
      select s::text as text from sessions s union all select u::text from users u union all select a::text from accounts a
      union all select a::text from activity_entries a`);
    const stored = rows.map(({ text }) => text).join('\n');
    for (const secret of [token, SEED_PASSWORD]) {
      expect(stored).not.toContain(secret);
      expect(stored).not.toContain(Buffer.from(secret).toString('hex'));
    }
    expect(stored).not.toContain(Buffer.from(token, 'base64url').toString('hex'));
  });

  it('stores passwords as argon2id hashes of the strength that OWASP recommends', async () => {
    const rows = await stories.database.rows(
      sql<{ hash: string }>`select password_hash as hash from accounts`,
    );
    for (const { hash } of rows) expect(hash).toMatch(/^keyed\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('stores hashes with which nobody can test a guess of a password without the master key', async () => {
    const { email } = await newMember();
    const [account] = await stories.database.rows(
      sql<{ hash: string }>`select password_hash as hash from accounts where email = ${email}`,
    );
    const stolen = account!.hash.replace(/^keyed/, '');
    expect(await verify(stolen, SEED_PASSWORD)).toBe(false);
  });

  it('gives a wrong password and an unknown address the same response after the same steps', async () => {
    const { email } = await newMember();
    const steps: string[][] = [];
    const refusals: LucarneError[] = [];
    // Each from a new client, because the first attempt of a client in a minute takes one more step.
    for (const [address, client] of [
      [email, '203.0.113.101'],
      ['nobody@example.test', '203.0.113.102'],
    ] as const) {
      const taken: string[] = [];
      const observed: Foundation = {
        ...stories.foundation,
        database: {
          ...stories.database,
          rows: (query) => {
            taken.push('statement');
            return stories.database.rows(query);
          },
          transaction: (work) => {
            taken.push('transaction');
            return stories.database.transaction(work);
          },
        },
      };
      refusals.push(await refusal({ email: address, password: 'a wrong password' }, client, observed));
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

  it('fails if the account has no password, and with an empty password', async () => {
    const { email } = await newMember();
    for (const password of ['', SEED_PASSWORD, 'x'.repeat(100_000)]) {
      const matches = await comparePassword(
        stories.foundation.sealer,
        { email, password },
        stranger(stories.address),
      );
      expect(await matches(null)).toBe(false);
    }
    expect(await refusal({ email, password: '' })).toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(await refusal({ email, password: 'x'.repeat(100_000) })).toMatchObject({
      code: 'UNAUTHENTICATED',
    });
  });

  it('still works for others while one client tries many passwords', async () => {
    const { database, sealer } = stories.foundation;
    const email = 'mia@example.test';
    const hash = await hashPassword({ database, sealer }, email, SEED_PASSWORD);
    const tries = Array.from({ length: 64 }, () =>
      comparePassword(sealer, { email, password: 'a wrong password' }, stranger('203.0.113.5')),
    );
    const other = comparePassword(sealer, { email, password: SEED_PASSWORD }, stranger(stories.address));
    const answers = (await Promise.allSettled(tries)).map(({ status }) => status);
    expect(answers.filter((status) => status === 'rejected')).toHaveLength(48);
    expect(await (await other)(hash)).toBe(true);
  });

  it('still works for known browsers while others at the same address try many passwords', async () => {
    const { database, sealer } = stories.foundation;
    const clientAddress = '203.0.113.6';
    const email = 'mia@example.test';
    const hash = await hashPassword({ database, sealer }, email, SEED_PASSWORD);
    const tries = Array.from({ length: 17 }, () =>
      comparePassword(sealer, { email, password: 'a wrong password' }, stranger(clientAddress)),
    );
    const known = comparePassword(
      sealer,
      { email, password: SEED_PASSWORD },
      { clientAddress, isKnown: true },
    );
    const answers = await Promise.allSettled(tries);
    expect(answers.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(await (await known)(hash)).toBe(true);
  });

  it('fails and frees its place when a password cannot be hashed', async () => {
    const { database, sealer } = stories.foundation;
    const broken = {
      ...sealer,
      digest: () => {
        throw new Error('no digest');
      },
    };
    for (let attempt = 0; attempt < 70; attempt += 1) {
      await expect(
        hashPassword({ database, sealer: broken }, 'mia@example.test', SEED_PASSWORD),
      ).rejects.toThrow('no digest');
    }
    expect(await hashPassword({ database, sealer }, 'mia@example.test', SEED_PASSWORD)).toMatch(
      /^keyed[$]argon2id/,
    );
  });

  it('hashes outside the event loop, and refuses what exceeds its queue', async () => {
    const { database, sealer } = stories.foundation;
    const { result: answers, turns } = await countingTurns(() =>
      Promise.allSettled(
        Array.from({ length: 70 }, (_, mia) =>
          hashPassword({ database, sealer }, `mia${mia}@example.test`, SEED_PASSWORD),
        ),
      ),
    );
    // On the thread of the event loop, there would be one turn for each hash.
    expect(turns).toBeGreaterThan(500);
    const refused = answers.filter((answer) => answer.status === 'rejected');
    expect(refused).toHaveLength(6);
    expect(refused[0]!.reason).toMatchObject({ code: 'TOO_MANY_REQUESTS', retryAfterSeconds: 5 });
  });

  it('hashes new passwords for everyone while one link is tried many times', async () => {
    const { database, sealer } = stories.foundation;
    const tries = Array.from({ length: 64 }, () =>
      hashPassword({ database, sealer }, 'eve@example.test', SEED_PASSWORD),
    );
    const other = hashPassword({ database, sealer }, 'mia@example.test', SEED_PASSWORD);
    const answers = await Promise.allSettled(tries);
    expect(answers.filter(({ status }) => status === 'rejected')).toHaveLength(62);
    expect(await other).toMatch(/^keyed[$]argon2id/);
  });

  it('gives each of two concurrent sign-ins its own session', async () => {
    const { email } = await newMember();
    const credentials = { email, password: SEED_PASSWORD };
    const [first, second] = await Promise.all([
      signIn(stories.foundation, credentials, stories.address),
      signIn(stories.foundation, credentials, stories.address),
    ]);
    expect(first.token).not.toBe(second.token);
    expect(await authenticate(first.token)).toBeDefined();
    expect(await authenticate(second.token)).toBeDefined();
  });

  it('ends the session whose token was sent with it', async () => {
    const { email, sessionToken, principal } = await newMember();
    const { token } = await signIn(
      stories.foundation,
      { email, password: SEED_PASSWORD },
      stories.address,
      sessionToken,
    );
    expect(token).not.toBe(sessionToken);
    expect(await authenticate(sessionToken)).toBeUndefined();
    expect(await authenticate(token)).toBeDefined();
    expect((await sessionEntries(principal.sessionId)).at(-1)).toMatchObject({
      event_type: 'session.ended',
      details: { reason: 'signed_in_again' },
    });
  });

  it('logs nothing when it fails', async () => {
    const { email, sessionToken } = await newMember();
    const count = async () => (await stories.database.rows(sql`select id from activity_entries`)).length;
    const before = await count();
    await expect(
      signIn(stories.foundation, { email, password: 'a wrong password' }, stories.address, sessionToken),
    ).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(await count()).toBe(before);
    expect(await authenticate(sessionToken)).toBeDefined();
  });

  describe('and signing out', () => {
    it('ends only this session of the user, once', async () => {
      const { email, principal, sessionToken } = await newMember();
      const elsewhere = await signIn(stories.foundation, { email, password: SEED_PASSWORD }, stories.address);
      expect(await signOut(stories.foundation, principal)).toBe(true);
      expect(await authenticate(sessionToken)).toBeUndefined();
      expect(await authenticate(elsewhere.token)).toBeDefined();
      expect(await signOut(stories.foundation, principal)).toBe(false);
      expect((await sessionEntries(principal.sessionId)).map((entry) => entry['event_type'])).toEqual([
        'session.created',
        'session.ended',
      ]);
    });

    it('does nothing without a session, or with an API key', async () => {
      expect(await signOut(stories.foundation, undefined)).toBe(false);
      expect(await signOut(stories.foundation, stories.seed.apiKey.principal)).toBe(false);
    });
  });
});
