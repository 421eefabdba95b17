import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  createAuthenticator,
  hashSessionToken,
  operatorOf,
  type Principal,
} from '../../../src/domain/access/index.js';
import { findSessions } from '../../../src/domain/access/authentication/find-sessions.js';
import { sql } from '../../../src/platform/database/index.js';
import {
  changePassword,
  listMembers,
  type Mail,
  removeMember,
  signIn,
} from '../../../src/domain/organizations/index.js';
import { acceptInvitation } from '../../../src/domain/organizations/invitations/accept-invitation.js';
import {
  inviteMember,
  type InviteMemberInput,
} from '../../../src/domain/organizations/invitations/invite-member.js';
import { listInvitations } from '../../../src/domain/organizations/invitations/list-invitations.js';
import type { PublicSite } from '../../../src/domain/organizations/public-site.js';
import { resetMemberSignIn } from '../../../src/domain/organizations/invitations/reset-member-sign-in.js';
import {
  requestPasswordReset,
  resetPassword,
} from '../../../src/domain/organizations/invitations/reset-password.js';
import { showInvitation } from '../../../src/domain/organizations/invitations/show-invitation.js';
import { revokeInvitation } from '../../../src/domain/organizations/invitations/revoke-invitation.js';
import {
  organizationsOfAccount,
  switchOrganization,
} from '../../../src/domain/organizations/sessions/switch-organization.js';
import { pause } from '../../../src/platform/jobs/index.js';
import { eventually } from '../../kit/eventually.js';
import { SEED_PASSWORD, seedMember, seedOrganization, openTestFoundation } from '../../kit/seed.js';

const ADDRESS = '198.51.100.20';
const PASSWORD = 'chosen by the person alone';
const HOUR_MS = 60 * 60_000;

let now = Date.now();
const { database, foundation } = await openTestFoundation({ now: () => new Date(now) });
const home = await seedOrganization(foundation);
const other = await seedOrganization(foundation, { name: 'Other', foreignId: 'elsewhere' });

describe('an invitation', () => {
  let site: PublicSite;
  let counter = 0;

  beforeEach(() => {
    site = { origin: () => 'https://lucarne.example' };
  });

  const person = (): InviteMemberInput => ({
    email: `person-${(counter += 1)}@example.test`,
    name: 'Pia Person',
  });
  const tokenOf = (link: string | null) => link!.split('#')[1]!;
  const invite = async (input: InviteMemberInput, organization = home) => {
    const { invitation, link } = await inviteMember(foundation, site, organization.owner.principal, input);
    return { invitation, link: link!, token: tokenOf(link) };
  };
  const accept = (token: string, password: string | null = PASSWORD, principal?: Principal) =>
    acceptInvitation(foundation, { token, password }, principal, ADDRESS);
  const signedIn = async (email: string, password = PASSWORD, organizationId?: string) =>
    (await signIn(foundation, { email, password, organizationId }, ADDRESS)).principal;
  const events = async (userId: string) => {
    const rows = await database.rows(sql<{ type: string }>`
      select event_type as type from activity_entries
      where entry->'object'->>'user_id' = ${userId} order by sequence`);
    return rows.map(({ type }) => type);
  };

  it('creates a member who signs in with a password that only the person knows', async () => {
    const { email, name } = person();
    const permissions = { applications: [{ foreignId: 'payments', auditor: ['cases:create'] }] };
    const { link, token } = await invite({ email, name, permissions });
    expect(link).toBe(`https://lucarne.example/portal/invitation#${token}`);
    const { principal, token: session } = await accept(token);
    expect(principal).toMatchObject({ email, name, organizationId: home.organization.id });
    await using authenticator = createAuthenticator(foundation);
    expect(await authenticator.authenticate({ sessionToken: session })).toEqual(principal);
    const { nodes } = await listMembers(foundation, home.owner.principal, { first: 200 });
    expect(nodes.find(({ id }) => id === principal.userId)?.permissions.applications).toEqual([
      { foreignId: 'payments', common: [], administrator: [], auditor: ['cases:create'] },
    ]);
    expect(await signedIn(email)).toMatchObject({ userId: principal.userId });
  });

  it('has a link to “localhost” on a loopback address, for which browsers make no passkeys', async () => {
    for (const [origin, expected] of [
      ['http://127.0.0.1:4000', 'http://localhost:4000'],
      ['http://[::1]:4000', 'http://localhost:4000'],
      ['https://192.0.2.7', 'https://192.0.2.7'],
    ] as const) {
      const there = { ...site, origin: () => origin };
      const { link } = await inviteMember(foundation, there, home.owner.principal, person());
      expect(link).toMatch(/\/portal\/invitation#/);
      expect(new URL(link!).origin).toBe(expected);
    }
  });

  it('shows its token neither in the database nor in the listing', async () => {
    const { token } = await invite(person());
    const rows = await database.rows(sql<{ text: string }>`
      select i::text as text from invitations i union all select a::text from activity_entries a`);
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(token, 'base64url').toString('hex'));
    const { nodes } = await listInvitations(foundation, home.owner.principal);
    expect(JSON.stringify(nodes)).not.toMatch(/token/i);
  });

  it('tells who invites whom to the holder of the link only, while the link is valid', async () => {
    const [invited, { organization, owner }] = [person(), home];
    const { token, invitation } = await invite(invited);
    const names = { ...invited, organization: organization.name, invitedBy: owner.principal.name };
    const shown = { ...names, isNewMember: true, expiresAt: invitation.expiresAt };
    expect(await showInvitation(foundation, token)).toEqual(shown);
    const { userId } = (await accept(token)).principal;
    for (const gone of [token, 'nonsense'])
      await expect(showInvitation(foundation, gone)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const { link } = await resetMemberSignIn(foundation, site, operatorOf(organization.id), userId);
    expect((await showInvitation(foundation, tokenOf(link))).invitedBy).toBe(null);
  });

  it('is valid once, for 72 hours, until it is revoked or replaced', async () => {
    const used = await invite(person());
    await accept(used.token);
    const revoked = await invite(person());
    await revokeInvitation(foundation, home.owner.principal, revoked.invitation.id);
    const again = person();
    const replaced = await invite(again);
    const newest = await invite(again);
    const expired = await invite(person());
    for (const { token } of [used, revoked, replaced, { token: 'nonsense' }])
      await expect(accept(token)).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: 'No such invitation.',
      });
    now += 72 * HOUR_MS - 1;
    await accept(newest.token);
    now += 1;
    await expect(accept(expired.token)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('creates one member if it is accepted twice concurrently', async () => {
    const { token } = await invite(person());
    const race = await Promise.allSettled([accept(token), accept(token)]);
    expect(race.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('changes neither name nor membership of another organization’s member, and reveals nothing about the other organization', async () => {
    const { email } = person();
    const victim = await accept((await invite({ email, name: 'Dr. Ada Auditor' })).token);
    const stranger = await invite(person(), other);
    const same = await inviteMember(foundation, site, other.owner.principal, {
      email,
      name: 'Renamed by another bank',
    });
    // The same answer as for an unknown address.
    const kinds = (invitation: object) =>
      Object.entries(invitation).map(([name, value]) => [name, value === null ? null : typeof value]);
    expect(kinds(same.invitation)).toEqual(kinds(stranger.invitation));
    expect(same.link).toMatch(/^https:/);
    const taken = await accept(tokenOf(same.link), 'the password of an attacker');
    expect(taken.principal.userId).not.toBe(victim.principal.userId);
    expect(taken.principal.accountId).not.toBe(victim.principal.accountId);
    const { nodes } = await listMembers(foundation, home.owner.principal, { first: 200 });
    expect(nodes.find(({ id }) => id === victim.principal.userId)).toMatchObject({ name: 'Dr. Ada Auditor' });
    // With only one password, a person can sign in to only one organization.
    expect(await signedIn(email)).toMatchObject({ userId: victim.principal.userId });
    expect(await signedIn(email, 'the password of an attacker')).toMatchObject({
      organizationId: other.organization.id,
    });
    expect(await organizationsOfAccount(database, taken.principal.accountId)).toHaveLength(1);
  });

  it('gives a returning member nothing from the ended membership', async () => {
    const { email, name } = person();
    const owner = { owner: ['reports:list', 'reports:download'] };
    const before = await accept((await invite({ email, name, permissions: owner })).token);
    await removeMember(foundation, home.owner.principal, before.principal.userId);
    const after = await accept((await invite({ email, name })).token);
    expect(after.principal.userId).not.toBe(before.principal.userId);
    expect(after.principal.grants.owner.size).toBe(0);
    await expect(
      database.transaction((transaction) =>
        transaction.rows(sql`update users set account_id = ${after.principal.accountId}
          where id = ${before.principal.userId}`),
      ),
    ).rejects.toThrow('users_ended');
  });

  it('is a CONFLICT for the e-mail address of a current member', async () => {
    await expect(invite({ email: home.owner.email.toUpperCase(), name: 'Twin' })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
  });

  it('requires a password that is long enough, unless it is accepted in a session', async () => {
    const { token } = await invite(person());
    await expect(accept(token, 'too short')).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
    await expect(accept(token, null)).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
    await accept(token);
  });

  describe('when it is accepted in a session', () => {
    it('makes the account a member of both organizations, which it can switch between', async () => {
      const member = await seedMember(foundation, home.organization.id);
      const { token } = await invite(person(), other);
      const joined = await accept(token, null, member.principal);
      expect(joined.principal).toMatchObject({
        accountId: member.principal.accountId,
        organizationId: other.organization.id,
      });
      const both = await organizationsOfAccount(database, member.principal.accountId);
      expect(both.map(({ id }) => id).sort()).toEqual([home.organization.id, other.organization.id].sort());
      const back = await switchOrganization(foundation, joined.principal, home.organization.id, ADDRESS);
      expect(back.principal).toMatchObject({ userId: member.principal.userId });
      await using authenticator = createAuthenticator(foundation);
      expect(await authenticator.authenticate({ sessionToken: joined.token })).toBeUndefined();
      expect(await signedIn(member.email, SEED_PASSWORD, other.organization.id)).toMatchObject({
        organizationId: other.organization.id,
      });
      // A password change ends the sessions in both, and each log records it.
      const change = { currentPassword: SEED_PASSWORD, newPassword: PASSWORD };
      await changePassword(foundation, back.principal, change, ADDRESS);
      expect(await findSessions(database, [hashSessionToken(back.token)])).toEqual([]);
      expect(await events(member.principal.userId)).toContain('user.password_changed');
      expect(await events(joined.principal.userId)).toContain('user.password_changed');
    });

    it('does not allow switching to an organization where the account is not a member', async () => {
      const member = await seedMember(foundation, home.organization.id);
      await expect(
        switchOrganization(foundation, member.principal, other.organization.id, ADDRESS),
      ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    it('is a CONFLICT for an existing member, and stays open', async () => {
      const { token } = await invite(person());
      await expect(accept(token, null, home.owner.principal)).rejects.toMatchObject({ code: 'CONFLICT' });
      await accept(token);
    });
  });

  describe('when it is for a member who can no longer sign in', () => {
    it('opens only this organization, even if the person is a member of others', async () => {
      const member = await seedMember(foundation, home.organization.id, { owner: ['reports:list'] });
      const elsewhere = await accept((await invite(person(), other)).token, null, member.principal);
      const issued = await resetMemberSignIn(foundation, site, home.owner.principal, member.principal.userId);
      const reset = await accept(tokenOf(issued.link), 'the password of an attacker');
      expect(reset.principal).toMatchObject({ userId: member.principal.userId });
      expect(reset.principal.accountId).not.toBe(elsewhere.principal.accountId);
      await expect(
        switchOrganization(foundation, reset.principal, other.organization.id, ADDRESS),
      ).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect(await signedIn(member.email, SEED_PASSWORD)).toMatchObject({
        organizationId: other.organization.id,
      });
      expect(await events(member.principal.userId)).toEqual(
        expect.arrayContaining(['member.sign_in_reset', 'session.ended', 'user.password_changed']),
      );
    });

    it('cannot be created by an owner of another organization', async () => {
      const member = await seedMember(foundation, home.organization.id);
      await expect(
        resetMemberSignIn(foundation, site, other.owner.principal, member.principal.userId),
      ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });
  });

  describe('when a mail server is configured', () => {
    let mails: Mail[];
    beforeEach(() => {
      mails = [];
      site = { ...site, mailer: { send: (mail) => Promise.resolve(void mails.push(mail)) } };
    });
    const mailed = async (count: number) => {
      while (mails.length < count) await new Promise(setImmediate);
      return /#([\w-]{43})/.exec(mails.at(-1)!.text)![1]!;
    };

    it('is sent only to the person, including its link', async () => {
      const { email, name } = person();
      const { link } = await inviteMember(foundation, site, home.owner.principal, { email, name });
      expect(link).toBeNull();
      expect(mails).toMatchObject([{ to: email, subject: 'Your access to Acme' }]);
      expect((await accept(await mailed(1))).principal.email).toBe(email);
    });

    it('is rate-limited per recipient and per organization', async () => {
      const eager = await seedOrganization(foundation);
      // Minutes are fixed windows, so everything must happen in one.
      const leftMs = 60_000 - (Date.now() % 60_000);
      if (leftMs < 15_000) await pause(leftMs);
      const send = (email: string) =>
        inviteMember(foundation, site, eager.owner.principal, { email, name: 'Pia Person' });
      const refused = { code: 'TOO_MANY_REQUESTS', reason: 'rate_limited' };
      await send('victim@example.test');
      await send('victim@example.test');
      await send('VICTIM@example.test');
      await expect(send('victim@example.test')).rejects.toMatchObject(refused);
      for (let sent = 3; sent < 60; sent += 1) await send(`stranger-${sent}@example.test`);
      await expect(send('one-more@example.test')).rejects.toMatchObject(refused);
      const { userId } = eager.owner.principal;
      await expect(resetMemberSignIn(foundation, site, eager.owner.principal, userId)).rejects.toMatchObject(
        refused,
      );
      expect(mails).toHaveLength(60);
      await inviteMember(foundation, site, home.owner.principal, person());
      site = { origin: site.origin };
      expect((await send('victim@example.test')).link).not.toBeNull();
    }, 60_000);

    it('is shown when the mail server does not accept the e-mail', async () => {
      site = { ...site, mailer: { send: () => Promise.reject(new Error('no route')) } };
      const { link } = await inviteMember(foundation, site, home.owner.principal, person());
      await accept(tokenOf(link));
    });

    it('allows new passwords by e-mail, with the same response for an unknown address', async () => {
      const member = await seedMember(foundation, home.organization.id);
      await requestPasswordReset(foundation, site, { email: 'nobody@example.test' }, ADDRESS);
      await requestPasswordReset(foundation, site, { email: member.email }, ADDRESS);
      const token = await mailed(1);
      expect(mails.map(({ to }) => to)).toEqual([member.email]);
      await resetPassword(foundation, { token, newPassword: PASSWORD });
      expect(await signedIn(member.email)).toMatchObject({ userId: member.principal.userId });
      expect(await findSessions(database, [hashSessionToken(member.sessionToken)])).toEqual([]);
      await expect(resetPassword(foundation, { token, newPassword: PASSWORD })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    });

    it('allows a link for a new password, which further requests neither replace nor resend', async () => {
      const member = await seedMember(foundation, home.organization.id);
      const asks = (email: string, client: string) =>
        requestPasswordReset(foundation, site, { email }, client);
      await asks(member.email, '198.51.100.30');
      const token = await mailed(1);
      for (let client = 31; client < 40; client += 1) await asks(member.email, `198.51.100.${client}`);
      // Requested last, and mailed after the earlier requests were processed.
      const last = await seedMember(foundation, home.organization.id);
      await asks(last.email, '198.51.100.40');
      await mailed(2);
      expect(mails.map(({ to }) => to)).toEqual([member.email, last.email]);
      await resetPassword(foundation, { token, newPassword: PASSWORD });
      now += 5 * 60_000;
      await asks(last.email, '198.51.100.41');
      await resetPassword(foundation, { token: await mailed(3), newPassword: PASSWORD });
    });

    it('allows a link for a new password, which is sent again if the mail server did not accept it before', async () => {
      const member = await seedMember(foundation, home.organization.id);
      const refusals: string[] = [];
      const broken = {
        ...site,
        mailer: {
          send({ to }: { readonly to: string }) {
            refusals.push(to);
            return Promise.reject(new Error('no route'));
          },
        },
      };
      await requestPasswordReset(foundation, broken, { email: member.email }, '198.51.100.50');
      const links = () =>
        database.rows(sql`select from password_resets where account_id = ${member.principal.accountId}`);
      await eventually(links, ({ length }) => refusals.length > 0 && length === 0);
      await requestPasswordReset(foundation, site, { email: member.email }, '198.51.100.51');
      await resetPassword(foundation, { token: await mailed(1), newPassword: PASSWORD });
    });

    it('allows links for a new password that expire after an hour', async () => {
      const member = await seedMember(foundation, home.organization.id);
      await requestPasswordReset(foundation, site, { email: member.email }, '198.51.100.21');
      const token = await mailed(1);
      now += HOUR_MS;
      await expect(resetPassword(foundation, { token, newPassword: PASSWORD })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    });
  });

  it('is created only by holders of members:manage, and revoked only in its organization', async () => {
    const { invitation } = await invite(person());
    const member = await seedMember(foundation, home.organization.id, { owner: ['api_keys:manage'] });
    await expect(inviteMember(foundation, site, member.principal, person())).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    await expect(
      revokeInvitation(foundation, operatorOf(other.organization.id), invitation.id),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
