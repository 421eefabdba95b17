import { beforeEach, describe, expect, it } from '@jest/globals';
import { createAuthenticator, type Principal, type UserPrincipal } from '../../../src/domain/access/index.js';
import { findSessions } from '../../../src/domain/access/authentication/find-sessions.js';
import { hashSessionToken } from '../../../src/domain/access/authentication/session-lifetime.js';
import { proposeTotp, enableTotp, signIn, signOut } from '../../../src/domain/organizations/index.js';
import { acceptInvitation } from '../../../src/domain/organizations/invitations/accept-invitation.js';
import { inviteMember } from '../../../src/domain/organizations/invitations/invite-member.js';
import {
  addPasskey,
  listPasskeys,
  proposePasskey,
  removePasskey,
} from '../../../src/domain/organizations/second-factor/own-passkeys.js';
import {
  signInWithPasskey,
  proposePasskeySignIn,
} from '../../../src/domain/organizations/sign-in/sign-in-with-passkey.js';
import { factorsOf } from '../../../src/domain/organizations/second-factor/factors-of-account.js';
import { createRecoveryCodes } from '../../../src/domain/organizations/second-factor/recovery-codes.js';
import { revokeOtherSessions } from '../../../src/domain/organizations/sessions/revoke-other-sessions.js';
import { switchOrganization } from '../../../src/domain/organizations/sessions/switch-organization.js';
import { type Foundation, sql } from '../../../src/platform/database/index.js';
import { Secret, TOTP } from 'otpauth';
import { SoftAuthenticator } from '../../kit/browser/authenticator.js';
import { overtakenBy } from '../../kit/database/overtaken.js';
import {
  SEED_PASSWORD,
  type SeededOrganization,
  type SeededUser,
  seedMember,
  seedOrganization,
  seedSession,
  openTestFoundation,
} from '../../kit/seed.js';

const ORIGIN = 'https://lucarne.example';
const DOOR = { origin: () => ORIGIN };
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let instant = Date.parse('2126-11-21T10:00:00.000Z');
const { database, foundation } = await openTestFoundation({ now: () => new Date(instant) });
const bank = await seedOrganization(foundation, { name: 'Bank', foreignId: 'bank' });
const fund = await seedOrganization(foundation, { name: 'Fund', foreignId: 'fund' });

describe('a person who is a member of two organizations', () => {
  let pia: SeededUser;
  let stories = 0;
  let address = '';

  beforeEach(async () => {
    address = `198.18.7.${(stories += 1)}`;
    instant += MINUTE_MS;
    pia = await seedMember(foundation, bank.organization.id, {}, 'Pia Person');
    await database.rows(sql`
      insert into users (id, organization_id, account_id, email, name, created_at)
      select replace(id, substr(id, 5, 8), ${`fund${String(stories).padStart(4, '0')}`}), ${fund.organization.id},
        account_id, email, name, created_at from users where id = ${pia.principal.userId}`);
  });

  const switchTo = ({ organization }: SeededOrganization, principal: UserPrincipal) =>
    switchOrganization(foundation, principal, organization.id, address);
  const now = async ({ token }: { readonly token: string }): Promise<UserPrincipal | undefined> => {
    const [session] = await findSessions(database, [hashSessionToken(token as never)]);
    return session?.principal;
  };
  const isOpen = async ({ token }: { readonly token: string }): Promise<boolean> => {
    await using authenticator = createAuthenticator(foundation);
    return (await authenticator.authenticate({ sessionToken: token })) !== undefined;
  };
  const use = ({ principal }: { readonly principal: UserPrincipal }) =>
    database.rows(
      sql`update sessions set last_seen_at = ${new Date(instant)} where id = ${principal.sessionId}`,
    );
  const joinEvil = async (principal: Principal, by = foundation, presented?: string) => {
    const guest = { email: `guest-${stories}@example.test`, name: 'Guest' };
    const evil = await seedOrganization(foundation, { name: 'Evil', foreignId: `evil-${stories}` });
    const { link } = await inviteMember(foundation, DOOR, evil.owner.principal, guest);
    return acceptInvitation(by, { token: link!.split('#')[1]! }, principal, address, presented);
  };

  it('is signed out 12 hours after signing in, regardless of switches between organizations', async () => {
    const begin = instant;
    let session = await switchTo(fund, pia.principal);
    for (let hour = 1; hour < 12; hour += 1) {
      instant = begin + hour * HOUR_MS;
      await use(session);
      session = await switchTo(hour % 2 ? bank : fund, session.principal);
      expect(session.principal.signedInAt).toEqual(new Date(begin));
    }
    const joined = await joinEvil(session.principal);
    instant = begin + 12 * HOUR_MS - 1;
    await use(joined);
    expect(await isOpen(joined)).toBe(true);
    instant += 1;
    expect(await isOpen(joined)).toBe(false);
  });

  describe('is told to no reader of the log of the organization that they leave', () => {
    /** What the log of the bank says of Pia since the story began. Ids and digests differ in each session. */
    const logged = async () => {
      const rows = await database.rows(sql<{ type: string; details: object }>`
        select event_type as type, (entry->'details') - 'client_digest' as details from activity_entries
        where organization_id = ${bank.organization.id} and actor_id = ${pia.principal.userId} order by sequence`);
      return rows.map(({ type, details }) => [type, details]);
    };
    let ordinary: unknown;
    beforeEach(async () => {
      const { principal } = await seedSession(foundation, bank.organization.id, {
        id: pia.principal.userId,
        ...pia.principal,
      });
      await signOut(foundation, principal);
      ordinary = (await logged()).slice(-2);
      pia = {
        ...pia,
        ...(await seedSession(foundation, bank.organization.id, {
          ...pia.principal,
          id: pia.principal.userId,
        })),
      };
    });
    const credentials = () => ({ email: pia.email, password: SEED_PASSWORD });

    it('if they switch to another one: it is the same as a sign-out', async () => {
      await switchTo(fund, pia.principal);
      expect((await logged()).slice(-2)).toEqual(ordinary);
    });

    it('if the same browser signs in to another one, or joins one', async () => {
      const input = { ...credentials(), organizationId: fund.organization.id };
      await signIn(foundation, input, address, pia.sessionToken);
      expect((await logged()).slice(-2)).toEqual(ordinary);
      const again = await signIn(foundation, { ...input, organizationId: bank.organization.id }, address);
      await joinEvil(again.principal, foundation, again.token);
      expect((await logged()).slice(-2)).toEqual(ordinary);
    });
  });

  describe('who signs in only with the identity provider', () => {
    const passkeyOf = async (principal: UserPrincipal) => {
      const response = new SoftAuthenticator(ORIGIN).create(
        await proposePasskey(foundation, DOOR, principal),
      );
      return addPasskey(foundation, DOOR, principal, { name: 'Thief', response }, address);
    };
    const NOT_PROVEN = { code: 'BAD_USER_INPUT' };

    beforeEach(async () => {
      await database.rows(sql`
        update accounts set password_hash = null, oidc_subject = ${`https://id.example ${stories}`}
        where id = ${pia.principal.accountId}`);
      instant += 10 * MINUTE_MS;
    });

    it('keeps the account even if a stolen session switches to the other organization', async () => {
      const stolen = await switchTo(fund, pia.principal);
      await expect(passkeyOf(stolen.principal)).rejects.toMatchObject(NOT_PROVEN);
      const { secret } = proposeTotp(foundation, stolen.principal);
      const totp = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: instant });
      await expect(enableTotp(foundation, stolen.principal, { secret, totp }, address)).rejects.toMatchObject(
        NOT_PROVEN,
      );
    });

    it('keeps the account even if a stolen session joins the thief’s organization', async () => {
      const stolen = await joinEvil(pia.principal);
      await expect(passkeyOf(stolen.principal)).rejects.toMatchObject(NOT_PROVEN);
    });
  });

  describe('whose sign-in is stolen', () => {
    const elsewhere = async () => {
      const credentials = { email: pia.email, password: SEED_PASSWORD };
      return switchTo(fund, (await signIn(foundation, credentials, address)).principal);
    };
    const endings = async (organization: SeededOrganization) =>
      database.rows(sql`
        select entry->'details'->>'reason' as reason, actor_id = entry->'object'->>'user_id' as own
        from activity_entries where event_type = 'session.ended'
          and organization_id = ${organization.organization.id} order by sequence desc limit 1`);

    it('ends the sessions in both organizations by adding or removing a passkey', async () => {
      const thief = await elsewhere();
      const device = new SoftAuthenticator(ORIGIN);
      const response = device.create(await proposePasskey(foundation, DOOR, pia.principal));
      const added = { name: 'Laptop', response, password: SEED_PASSWORD };
      await addPasskey(foundation, DOOR, pia.principal, added, address);
      expect(await isOpen(thief)).toBe(false);
      expect(await endings(fund)).toEqual([{ reason: 'second_factor_changed', own: true }]);

      const options = await proposePasskeySignIn(foundation, DOOR);
      const entered = await signInWithPasskey(foundation, DOOR, { response: device.get(options) }, address);
      const thiefAgain = await switchTo(
        entered.principal.organizationId === fund.organization.id ? bank : fund,
        entered.principal,
      );
      const own = await now({ token: pia.sessionToken });
      const [passkey] = await listPasskeys(foundation, own);
      await removePasskey(foundation, own, passkey!.id);
      expect(await isOpen(thiefAgain)).toBe(false);
      expect(await isOpen({ token: pia.sessionToken })).toBe(true);
    });

    it('ends the sessions in both organizations by ending all others', async () => {
      const thief = await elsewhere();
      expect(await revokeOtherSessions(foundation, pia.principal)).toBe(1);
      expect([await isOpen(thief), await isOpen({ token: pia.sessionToken })]).toEqual([false, true]);
      expect(await endings(fund)).toEqual([{ reason: 'revoked', own: true }]);
    });

    /** Requests of the thief that the gateway checked before the session ended. Each needs a factor of the last five minutes. */
    const changes: Record<string, (late: Foundation, stolen: UserPrincipal) => Promise<unknown>> = {
      async 'adds a passkey'(late, stolen) {
        const response = new SoftAuthenticator(ORIGIN).create(await proposePasskey(foundation, DOOR, stolen));
        return addPasskey(late, DOOR, stolen, { name: 'Thief', response }, address);
      },
      async 'removes a passkey'(late, stolen) {
        const [passkey] = await listPasskeys(foundation, stolen);
        return removePasskey(late, stolen, passkey!.id);
      },
      'creates recovery codes': (late, stolen) => createRecoveryCodes(late, stolen),
      'enables one-time codes'(late, stolen) {
        const { secret } = proposeTotp(foundation, stolen);
        const totp = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: instant });
        return enableTotp(late, stolen, { secret, totp }, address);
      },
      'joins the thief’s organization': (late, stolen) => joinEvil(stolen, late),
    };
    it.each(Object.entries(changes))('ends it before a late request %s', async (_, change) => {
      const { accountId, userId } = pia.principal;
      const device = new SoftAuthenticator(ORIGIN);
      const response = device.create(await proposePasskey(foundation, DOOR, pia.principal));
      const added = { name: 'Laptop', response, password: SEED_PASSWORD };
      await addPasskey(foundation, DOOR, pia.principal, added, address);
      const { principal } = await seedSession(foundation, bank.organization.id, {
        id: userId,
        ...pia.principal,
      });
      const factors = await factorsOf(database, accountId);
      const late = overtakenBy(foundation, () => revokeOtherSessions(foundation, pia.principal));
      await expect(change(late, { ...principal, factorAt: new Date(instant) })).rejects.toMatchObject({
        code: 'UNAUTHENTICATED',
      });
      expect(await factorsOf(database, accountId)).toEqual(factors);
      const open = await database.rows(sql`
        select sessions.id from sessions join users on users.id = user_id
        where account_id = ${accountId} and sessions.ended_at is null`);
      expect(open).toEqual([{ id: pia.principal.sessionId }]);
    });
  });
});
