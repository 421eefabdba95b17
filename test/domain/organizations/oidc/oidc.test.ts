import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { openPersonalValues, type Salts } from '../../../../src/domain/activity-log/index.js';
import { sql } from '../../../../src/platform/database/index.js';
import type { JsonObject } from '../../../../src/platform/kernel/encoding/json.js';
import { type Id, newId } from '../../../../src/platform/kernel/ids.js';
import { OPERATOR, operatorOf } from '../../../../src/domain/access/index.js';
import { parsePermissionSet } from '../../../../src/domain/access/permissions/permission-set.js';
import { removeMember, signIn as signInByPassword } from '../../../../src/domain/organizations/index.js';
import { insertMember } from '../../../../src/domain/organizations/members/add-member.js';
import { startTestApp } from '../../../kit/app.js';
import { Browser } from '../../../kit/browser/browser.js';
import { forFile } from '../../../kit/for-file.js';
import {
  SEED_PASSWORD,
  type SeededUser,
  seedMember,
  seedOrganization,
  seedSession,
} from '../../../kit/seed.js';
import { startTestProvider } from './oidc-provider.js';

const provider = forFile(
  await startTestProvider({ subject: 'none', email: 'none@example.test', emailVerified: true }),
);
const app = forFile(
  await startTestApp({
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET: provider.clientSecret,
  }),
);
let member: SeededUser;

beforeEach(async () => {
  if (app.application.url === undefined) throw new Error('The gateway does not listen.');
  member = await seedMember(app.application.foundation, app.organization.organization.id, {}, 'Mia Member');
  comesAs(member.email);
});

function comesAs(email: string, { emailVerified = true, subject = randomBytes(8).toString('hex') } = {}) {
  provider.person = { subject, email, emailVerified };
}

const isCallback = (url: URL) => url.href.startsWith(`${app.url}/auth/oidc/callback`);

/** From our page through the provider to the callback URL, which is not requested yet. */
async function comeBack(browser: Browser, query = ''): Promise<URL> {
  return browser.follow(`${app.url}/auth/oidc/start${query}`, isCallback);
}

async function signIn(browser = new Browser(), query = ''): Promise<Response> {
  return browser.get(await comeBack(browser, query));
}

async function me(browser: Browser): Promise<{ status: number; body: unknown }> {
  const answer = await browser.get(`${app.url}/auth/me`);
  return { status: answer.status, body: await answer.json() };
}

async function expectRefused(answer: Response, statusCode = 401): Promise<{ message: string }> {
  const body = (await answer.json()) as { message: string };
  expect(body).toEqual({ statusCode, message: expect.any(String), error: expect.any(String) });
  expect(answer.status).toBe(statusCode);
  return body;
}

const host = () => new URL(app.url).host;

describe('before the provider can be reached', () => {
  it('the gateway serves, and answers sign-ins there with 503 and Retry-After', async () => {
    const answer = await new Browser().get(`${app.url}/auth/oidc/start`);
    await expectRefused(answer, 503);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('the provider is asked again later', async () => {
    provider.begin(`${app.url}/auth/oidc/callback`);
    expect((await new Browser().get(`${app.url}/auth/oidc/start`)).status).toBe(302);
  });
});

describe('signing in by OpenID Connect', () => {
  it('redirects with PKCE, state and nonce, and binds the attempt to the browser with a sealed cookie', async () => {
    const answer = await new Browser().get(`${app.url}/auth/oidc/start`);
    const target = new URL(answer.headers.get('location') ?? '');
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(target.origin).toBe(provider.issuer);
    expect(Object.fromEntries(target.searchParams)).toEqual({
      client_id: provider.clientId,
      redirect_uri: `${app.url}/auth/oidc/callback`,
      response_type: 'code',
      scope: 'openid email',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      max_age: '300',
    });
    expect(cookie).toMatch(/^lucarne-sign-in=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
    const clear = Buffer.from(/=([\w-]+)/.exec(cookie)?.[1] ?? '', 'base64url').toString('latin1');
    expect(clear).not.toContain(target.searchParams.get('state'));
  });

  it('opens a session for the member with that e-mail address, and returns to the previous page', async () => {
    const browser = new Browser();
    const answer = await signIn(browser, '?return_to=%2Fcases%3Fstatus%3Dactive%23top');
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/cases?status=active#top']);
    expect(browser.cookie(host(), 'lucarne-sign-in')).toBeUndefined();
    expect(await me(browser)).toMatchObject({ status: 200, body: { organization_info: { name: 'Acme' } } });
  });

  it('returns to the longest possible path, and refuses a longer one before it begins', async () => {
    const path = `/${encodeURIComponent('\u20AC'.repeat(56))}`;
    const answer = await signIn(new Browser(), `?return_to=${encodeURIComponent(path)}`);
    expect(answer.headers.get('location')).toBe(path);
    const longer = `/${'\u20AC'.repeat(400)}`;
    const refused = await new Browser().get(
      `${app.url}/auth/oidc/start?return_to=${encodeURIComponent(longer)}`,
    );
    await expectRefused(refused, 400);
  });

  it('is logged with the name of the provider', async () => {
    await signIn();
    const [row] = await app.database.rows(sql<{ entry: JsonObject; salts: Salts }>`
      select entry, salts from activity_entries where actor_id = ${member.principal.userId}
      order by sequence desc limit 1`);
    expect(openPersonalValues(row!.entry, row!.salts)).toMatchObject({
      event_type: 'session.created',
      user: 'Mia Member',
      details: { identity_provider: provider.issuer, linked: true },
    });
  });

  it('recognizes the member by the provider’s subject afterwards, regardless of the address', async () => {
    await signIn();
    comesAs('another@example.test', { subject: provider.person.subject, emailVerified: false });
    const browser = new Browser();
    expect((await signIn(browser)).status).toBe(302);
    expect((await me(browser)).status).toBe(200);
  });

  it('lets a former member sign in who was added again, under any address', async () => {
    const { foundation } = app.application;
    const organizationId = app.organization.organization.id;
    await signIn();
    const { subject } = provider.person;
    await removeMember(foundation, operatorOf(organizationId), member.principal.userId);
    const again = await seedMember(foundation, organizationId);
    comesAs(again.email, { subject });
    expect((await signIn()).status).toBe(302);
  });

  it('gives the account to the owner of the address: no earlier password or session opens it', async () => {
    const { foundation } = app.application;
    await signIn();
    const held = new Browser();
    held.setCookie(host(), 'lucarne', member.sessionToken);
    expect((await me(held)).status).toBe(401);
    await expect(
      signInByPassword(foundation, { email: member.email, password: SEED_PASSWORD }, '192.0.2.77'),
    ).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('logs each sign-in method that linking removes, and no others', async () => {
    const { accountId, userId } = member.principal;
    const recorded = () =>
      app.database.rows(sql<{ type: string; details: JsonObject }>`
        select entry->>'event_type' as type, entry->'details' as details from activity_entries
        where actor_id = ${userId} or entry->'object'->>'user_id' = ${userId}
        order by sequence`);
    const passkey = newId('pky');
    await app.database.rows(sql`
      insert into passkeys
        (id, account_id, credential_id, public_key, user_handle, sign_count, transports, name, created_at)
      values (${passkey}, ${accountId}, ${Buffer.from(passkey)}, ${Buffer.alloc(32)}, ${Buffer.alloc(32)}, 0, '{}',
        'Key', now())`);
    provider.person = { ...provider.person, amr: ['mfa'] };
    expect((await signIn()).status).toBe(302);
    const removals = (await recorded()).filter(({ type }) => /^user[.]/.test(type));
    expect(removals).toEqual([
      { type: 'user.password_changed', details: { by: 'identity_provider' } },
      { type: 'user.passkey_removed', details: { by: 'identity_provider', passkey_id: passkey } },
    ]);
  });

  it('opens the account that existed first, not one that another organization created for the address', async () => {
    const { foundation } = app.application;
    const namesake = { email: member.email, name: 'Namesake', passwordHash: 'none' };
    const id = await foundation.database.transaction((transaction) =>
      insertMember(
        transaction,
        app.other.organization.id,
        namesake,
        parsePermissionSet({}),
        OPERATOR,
        foundation.clock.now(),
      ),
    );
    await seedSession(foundation, app.other.organization.id, { id, name: 'Namesake', email: member.email });
    const browser = new Browser();
    await signIn(browser);
    expect(await me(browser)).toMatchObject({ status: 200, body: { organization_info: { name: 'Acme' } } });
  });

  it('opens every account of the address, so that an account prepared there first does not lock the person out', async () => {
    const { foundation } = app.application;
    const email = `new-hire-${randomBytes(4).toString('hex')}@example.test`;
    const join = (organizationId: Id<'org'>, name: string) =>
      foundation.database.transaction((transaction) =>
        insertMember(
          transaction,
          organizationId,
          { email, name, passwordHash: 'none' },
          parsePermissionSet({}),
          OPERATOR,
          foundation.clock.now(),
        ),
      );
    const { id: otherId } = app.other.organization;
    // Another organization invites the address before others do, and keeps the links.
    await join(otherId, 'Prepared');
    const third = await seedOrganization(foundation, { name: 'Third', foreignId: 'third' });
    const locked = await join(third.organization.id, 'Locked');
    await app.database.rows(sql`
      update accounts set sealed_totp_secret = '\\x00' where id = (select account_id from users where id = ${locked})`);
    const own = await join(app.organization.organization.id, 'New Hire');
    comesAs(email);
    const browser = new Browser();
    await signIn(browser);
    expect((await me(browser)).status).toBe(200);
    const accounts = await app.database.rows(sql<{ id: string; account: string; linked: boolean }>`
      select users.id, accounts.id as account, oidc_subject is not null as linked
      from users join accounts on accounts.id = account_id where lower(users.email) = ${email} order by users.id`);
    expect(accounts.filter(({ linked }) => linked)).toHaveLength(2);
    expect(accounts.find(({ id }) => id === own)).toMatchObject({ linked: true });
    expect(accounts.find(({ id }) => id === locked)).toMatchObject({ linked: false });
    expect(new Set(accounts.map(({ account }) => account)).size).toBe(2);
  });

  it('ends the browser’s previous session', async () => {
    const browser = new Browser();
    await signIn(browser);
    const before = browser.cookie(host(), 'lucarne')!;
    await signIn(browser);
    expect(browser.cookie(host(), 'lucarne')).not.toBe(before);
    const stale = new Browser();
    stale.setCookie(host(), 'lucarne', before);
    expect((await me(stale)).status).toBe(401);
  });
});

describe('a refused sign-in by OpenID Connect, always with the same response,', () => {
  let expected: string;
  beforeAll(async () => {
    comesAs('nobody@example.test');
    expected = (await expectRefused(await signIn())).message;
  });

  it('creates no user for an unknown person', async () => {
    comesAs('stranger@example.test');
    expect((await expectRefused(await signIn())).message).toBe(expected);
    const users = await app.database.rows(sql`select 1 from accounts where email = 'stranger@example.test'`);
    expect(users).toEqual([]);
  });

  it('opens no session for a member whose address the provider has not verified', async () => {
    comesAs(member.email, { emailVerified: false });
    expect((await expectRefused(await signIn())).message).toBe(expected);
  });

  it('opens no session for an address that differs from the member’s but folds to the same letters', async () => {
    const email = `kim.${member.email}`;
    await app.database.transaction((transaction) =>
      transaction.rows(sql`update accounts set email = ${email} where id = ${member.principal.accountId}`),
    );
    for (const spelling of [email.replace('k', '\u212A'), email.replace('i', '\u0130')]) {
      comesAs(spelling);
      expect((await expectRefused(await signIn())).message).toBe(expected);
    }
    comesAs(email.toUpperCase());
    expect((await signIn()).status).toBe(302);
  });

  it('opens no session for another subject with the address of a linked member', async () => {
    await signIn();
    comesAs(member.email);
    expect((await expectRefused(await signIn())).message).toBe(expected);
  });

  it('opens no session for a former member', async () => {
    await signIn();
    await removeMember(
      app.application.foundation,
      operatorOf(app.organization.organization.id),
      member.principal.userId,
    );
    expect((await expectRefused(await signIn())).message).toBe(expected);
  });

  it('opens no session for a replayed response, with the cookie and the code of the first', async () => {
    const browser = new Browser();
    const callback = await comeBack(browser);
    const attempt = browser.cookie(host(), 'lucarne-sign-in')!;
    expect((await browser.get(callback)).status).toBe(302);
    const again = new Browser();
    again.setCookie(host(), 'lucarne-sign-in', attempt);
    expect((await expectRefused(await again.get(callback))).message).toBe(expected);
  });

  it('opens no session for the second of two concurrent responses', async () => {
    const browser = new Browser();
    const callback = await comeBack(browser);
    const attempt = browser.cookie(host(), 'lucarne-sign-in')!;
    const twins = [new Browser(), new Browser()];
    for (const twin of twins) twin.setCookie(host(), 'lucarne-sign-in', attempt);
    const answers = await Promise.all(twins.map((twin) => twin.get(callback)));
    expect(answers.map(({ status }) => status).sort()).toEqual([302, 401]);
  });

  it('opens no session for a response to an attempt of another browser, or to none', async () => {
    const callback = await comeBack(new Browser());
    expect((await expectRefused(await new Browser().get(callback))).message).toBe(expected);
    const other = new Browser();
    await other.get(`${app.url}/auth/oidc/start`);
    expect((await expectRefused(await other.get(callback))).message).toBe(expected);
  });

  it('opens no session for an invented code, a provider error, or another issuer', async () => {
    for (const [name, value] of [
      ['code', 'made-up'],
      ['error', 'access_denied'],
      ['iss', 'https://evil.example'],
    ] as const) {
      const browser = new Browser();
      const callback = await comeBack(browser);
      callback.searchParams.set(name, value);
      expect((await expectRefused(await browser.get(callback))).message).toBe(expected);
      expect(browser.cookie(host(), 'lucarne')).toBeUndefined();
    }
  });

  it('opens no session for a modified cookie', async () => {
    const browser = new Browser();
    const callback = await comeBack(browser);
    const attempt = browser.cookie(host(), 'lucarne-sign-in')!;
    browser.setCookie(host(), 'lucarne-sign-in', `${attempt.slice(0, -4)}AAAA`);
    expect((await expectRefused(await browser.get(callback))).message).toBe(expected);
  });
});

describe('a member with a second factor in Lucarne', () => {
  it('must use the password if the provider did not require a second factor', async () => {
    await app.database.transaction((transaction) =>
      transaction.rows(sql`
        update accounts set sealed_totp_secret = '\\x00' where id = ${member.principal.accountId}`),
    );
    const { message } = await expectRefused(await signIn());
    expect(message).toContain('Sign in with your password');
  });
});

describe('after a sign-in', () => {
  it('no code, token, secret or address remains in the log or the database', async () => {
    const browser = new Browser();
    const callback = await comeBack(browser);
    const attempt = browser.cookie(host(), 'lucarne-sign-in')!;
    await browser.get(callback);
    const code = callback.searchParams.get('code')!;
    for (const secret of [code, attempt, provider.clientSecret, browser.cookie(host(), 'lucarne')!]) {
      expect(app.logged()).not.toContain(secret);
    }
    expect(app.logged()).not.toContain(member.email);
    const rows = await app.database.rows(sql<{ text: string }>`
      select row_to_json(u)::text as text from used_sign_in_attempts u`);
    expect(rows.map(({ text }) => text).join()).not.toContain(callback.searchParams.get('state'));
  });
});
