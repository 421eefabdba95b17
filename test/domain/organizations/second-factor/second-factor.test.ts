import { describe, expect, it } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import { PERMISSIONS, type UserPrincipal } from '../../../../src/domain/access/index.js';
import { findSessions } from '../../../../src/domain/access/authentication/find-sessions.js';
import { hashSessionToken } from '../../../../src/domain/access/authentication/session-lifetime.js';
import {
  changePassword,
  createApiKey,
  disableTotp,
  enableTotp,
  erasePersonalValues,
  listApiKeys,
  listMembers,
  proposeTotp,
  removeMember,
  revokeApiKey,
  setPermissions,
  signIn,
} from '../../../../src/domain/organizations/index.js';
import {
  addPasskey,
  listPasskeys,
  proposePasskey,
  removePasskey,
} from '../../../../src/domain/organizations/second-factor/own-passkeys.js';
import { proposeStepUp, stepUp } from '../../../../src/domain/organizations/second-factor/step-up.js';
import { findViewer } from '../../../../src/domain/organizations/sessions/viewer.js';
import { updateOrganization } from '../../../../src/domain/organizations/update-organization.js';
import { sql } from '../../../../src/platform/database/index.js';
import { acceptInvitation } from '../../../../src/domain/organizations/invitations/accept-invitation.js';
import { inviteMember } from '../../../../src/domain/organizations/invitations/invite-member.js';
import {
  factorsOf,
  hasFactor,
} from '../../../../src/domain/organizations/second-factor/factors-of-account.js';
import { SoftAuthenticator } from '../../../kit/browser/authenticator.js';
import {
  SEED_PASSWORD,
  type SeededUser,
  seedMember,
  seedOrganization,
  seedSession,
  openTestFoundation,
} from '../../../kit/seed.js';

const ORIGIN = 'https://lucarne.example';
const DOOR = { origin: () => ORIGIN };
const ADDRESS = '198.51.100.60';
const NEEDED = { code: 'FORBIDDEN', reason: 'second_factor_required' };
const STALE = { code: 'FORBIDDEN', reason: 'fresh_factor_required' };

let instant = Date.parse('2126-11-21T10:00:00.000Z');
const { database, foundation } = await openTestFoundation({ now: () => new Date(instant) });

describe('where an organization requires a second factor', () => {
  const now = async ({ sessionToken }: Pick<SeededUser, 'sessionToken'>): Promise<UserPrincipal> => {
    const [session] = await findSessions(database, [hashSessionToken(sessionToken)]);
    return session!.principal;
  };
  async function enrol(member: SeededUser): Promise<SoftAuthenticator> {
    const principal = await now(member);
    const device = new SoftAuthenticator(ORIGIN);
    const response = device.create(await proposePasskey(foundation, DOOR, principal));
    await addPasskey(
      foundation,
      DOOR,
      principal,
      { name: 'Key', response, password: SEED_PASSWORD },
      ADDRESS,
    );
    return device;
  }
  async function seedRequiring() {
    const home = await seedOrganization(foundation);
    const olga = await seedMember(
      foundation,
      home.organization.id,
      { owner: PERMISSIONS.owner },
      'Olga Owner',
    );
    const device = await enrol(home.owner);
    await updateOrganization(foundation, await now(home.owner), { requireSecondFactor: true });
    return { home, olga, device };
  }

  it('an owner can turn it on only after adding one, and the change is logged', async () => {
    const home = await seedOrganization(foundation);
    const change = { requireSecondFactor: true };
    await expect(updateOrganization(foundation, home.owner.principal, change)).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    await enrol(home.owner);
    await updateOrganization(foundation, await now(home.owner), change);
    const [entry] = await database.rows(sql<{ entry: object }>`
      select entry from activity_entries where organization_id = ${home.organization.id}
      and event_type = 'organization.updated'`);
    expect(entry!.entry).toMatchObject({ details: { require_second_factor: true } });
  });

  it('a person without one can only see who they are and enroll', async () => {
    const { olga } = await seedRequiring();
    const bare = await now(olga);
    await expect(listMembers(foundation, bare)).rejects.toMatchObject(NEEDED);
    await expect(listApiKeys(foundation, bare)).rejects.toMatchObject(NEEDED);
    const key = { name: 'Key', scopes: ['assets:read'] };
    await expect(createApiKey(foundation, bare, key)).rejects.toMatchObject(NEEDED);
    expect(await findViewer(foundation, bare)).toMatchObject({ user: { id: bare.userId } });
    await enrol(olga);
    expect((await listMembers(foundation, await now(olga))).nodes).toHaveLength(2);
  });

  it('a password alone, of a person who never had one, opens a session that can only enroll', async () => {
    const { home } = await seedRequiring();
    const { email } = await seedMember(foundation, home.organization.id, { owner: PERMISSIONS.owner });
    const { principal } = await signIn(foundation, { email, password: SEED_PASSWORD }, ADDRESS);
    await expect(listMembers(foundation, principal)).rejects.toMatchObject(NEEDED);
  });

  it('decisions need a factor from the last five minutes, and reads do not', async () => {
    const { home, device } = await seedRequiring();
    const create = async () =>
      createApiKey(foundation, await now(home.owner), { name: 'Key', scopes: ['assets:read'] });
    await create();
    instant += 5 * 60_000 - 1;
    await create();
    instant += 1;
    await expect(create()).rejects.toMatchObject(STALE);
    await listMembers(foundation, await now(home.owner));
    const principal = await now(home.owner);
    const passkey = device.get(await proposeStepUp(foundation, DOOR, principal));
    await stepUp(foundation, DOOR, principal, { passkey }, ADDRESS);
    await create();
  });

  it('adding or removing an authenticator is logged, and a refused attempt is not', async () => {
    const home = await seedOrganization(foundation);
    const { organization, owner } = home;
    const { secret } = proposeTotp(foundation, owner.principal);
    const totp = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: instant });
    const entries = () =>
      database.rows(sql`
        select event_type as type, actor_id as actor, entry -> 'object' ->> 'user_id' as object from activity_entries
        where organization_id = ${organization.id} and event_type like 'user.totp_%' order by sequence`);
    const own = { actor: owner.principal.userId, object: owner.principal.userId };
    const wrong = { secret, totp: '000000', password: SEED_PASSWORD };
    await expect(enableTotp(foundation, owner.principal, wrong, ADDRESS)).rejects.toBeDefined();
    expect(await entries()).toEqual([]);
    await enableTotp(foundation, owner.principal, { ...wrong, totp: totp() }, ADDRESS);
    expect(await entries()).toEqual([{ type: 'user.totp_enabled', ...own }]);
    instant += 60_000;
    const { userId: id } = owner.principal;
    const again = await seedSession(foundation, organization.id, { id, ...owner.principal });
    await disableTotp(foundation, again.principal, { password: SEED_PASSWORD, totp: totp() }, ADDRESS);
    expect(await entries()).toEqual([
      { type: 'user.totp_enabled', ...own },
      { type: 'user.totp_disabled', ...own },
    ]);
  });

  it('no one can remove their last factor', async () => {
    const { home } = await seedRequiring();
    const principal = await now(home.owner);
    const [only] = await listPasskeys(foundation, principal);
    await expect(removePasskey(foundation, principal, only!.id)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('no one can remove their last factor by removing two concurrently', async () => {
    const { home } = await seedRequiring();
    const [passkey] = await listPasskeys(foundation, await now(home.owner));
    const { secret } = proposeTotp(foundation, home.owner.principal);
    const code = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: instant });
    await enableTotp(foundation, await now(home.owner), { secret, totp: code() }, ADDRESS);
    instant += 60_000;
    const { email } = home.owner;
    const { principal } = await signIn(foundation, { email, password: SEED_PASSWORD, totp: code() }, ADDRESS);
    instant += 60_000;
    const race = await Promise.allSettled([
      disableTotp(foundation, principal, { password: SEED_PASSWORD, totp: code() }, ADDRESS),
      removePasskey(foundation, principal, passkey!.id),
    ]);
    expect(race.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(hasFactor(await factorsOf(database, principal.accountId))).toBe(true);
  });

  it('no one can remove their last factor in a session of another organization that requires none', async () => {
    const { home } = await seedRequiring();
    const elsewhere = await seedOrganization(foundation, { name: 'Lax', foreignId: 'lax-again' });
    const { link } = await inviteMember(foundation, DOOR, elsewhere.owner.principal, {
      email: 'guest@example.test',
      name: 'Guest',
    });
    const joining = { token: link!.split('#')[1]! };
    const { principal } = await acceptInvitation(foundation, joining, await now(home.owner), ADDRESS);
    expect(principal.isFactorRequired).toBe(false);
    const [only] = await listPasskeys(foundation, principal);
    await expect(removePasskey(foundation, principal, only!.id)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('turning it off requires two owners where a second person is required, and one elsewhere', async () => {
    const { home, olga } = await seedRequiring();
    await enrol(olga);
    const off = { requireSecondFactor: false };
    await updateOrganization(foundation, await now(home.owner), off);
    await updateOrganization(foundation, await now(home.owner), { requireSecondFactor: true });
    const two = { requireSecondPerson: true };
    const proposed = { code: 'CONFLICT', reason: 'second_person_required' };
    await expect(updateOrganization(foundation, await now(home.owner), two)).rejects.toMatchObject(proposed);
    await updateOrganization(foundation, await now(olga), two);
    await expect(updateOrganization(foundation, await now(home.owner), off)).rejects.toMatchObject(proposed);
    await expect(updateOrganization(foundation, await now(home.owner), off)).rejects.toMatchObject(proposed);
    await updateOrganization(foundation, await now(olga), off);
    expect((await now(olga)).isFactorRequired).toBe(false);
  });

  it('does not affect the same person in other organizations', async () => {
    const { olga } = await seedRequiring();
    const elsewhere = await seedOrganization(foundation, { name: 'Lax', foreignId: 'lax' });
    expect((await now(elsewhere.owner)).isFactorRequired).toBe(false);
    expect((await now(olga)).isFactorRequired).toBe(true);
    await setPermissions(foundation, elsewhere.owner.principal, {
      memberId: elsewhere.owner.principal.userId,
      permissions: { owner: PERMISSIONS.owner },
    });
  });

  it('a key can be revoked without a fresh factor, because a leaked key is being used', async () => {
    const { home } = await seedRequiring();
    instant += 5 * 60_000;
    const { apiKey } = home.apiKey;
    expect((await revokeApiKey(foundation, await now(home.owner), apiKey.id)).revokedAt).not.toBeNull();
  });
});

describe('a stolen session of a person with a second factor, in any organization, cannot', () => {
  async function seedWithPasskey() {
    const home = await seedOrganization(foundation);
    const present = async () => {
      const [session] = await findSessions(database, [hashSessionToken(home.owner.sessionToken)]);
      return session!.principal;
    };
    const device = new SoftAuthenticator(ORIGIN);
    const response = device.create(await proposePasskey(foundation, DOOR, await present()));
    const added = { name: 'Key', response, password: SEED_PASSWORD };
    await addPasskey(foundation, DOOR, await present(), added, ADDRESS);
    const prove = async () => {
      const passkey = device.get(await proposeStepUp(foundation, DOOR, await present()));
      await stepUp(foundation, DOOR, await present(), { passkey }, ADDRESS);
    };
    return { home, present, prove };
  }

  it('change the password, even with the password', async () => {
    const { present, prove } = await seedWithPasskey();
    instant += 5 * 60_000;
    const change = async () => {
      const passwords = { currentPassword: SEED_PASSWORD, newPassword: 'another long enough passphrase' };
      await changePassword(foundation, await present(), passwords, ADDRESS);
    };
    await expect(change()).rejects.toMatchObject(STALE);
    await prove();
    await change();
  });

  it('erase a former member', async () => {
    const { home, present, prove } = await seedWithPasskey();
    const { principal } = await seedMember(foundation, home.organization.id);
    await removeMember(foundation, await present(), principal.userId);
    instant += 5 * 60_000;
    const erase = async () => erasePersonalValues(foundation, await present(), principal.userId);
    await expect(erase()).rejects.toMatchObject(STALE);
    await prove();
    expect(await erase()).toMatchObject({ userId: principal.userId });
  });
});
