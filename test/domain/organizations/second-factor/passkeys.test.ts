import { beforeEach, describe, expect, it } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import type { UserPrincipal } from '../../../../src/domain/access/index.js';
import { findSessions } from '../../../../src/domain/access/authentication/find-sessions.js';
import { hashSessionToken } from '../../../../src/domain/access/authentication/session-lifetime.js';
import { enableTotp, proposeTotp, signIn } from '../../../../src/domain/organizations/index.js';
import {
  acceptInvitation,
  proposeInvitationPasskey,
} from '../../../../src/domain/organizations/invitations/accept-invitation.js';
import { inviteMember } from '../../../../src/domain/organizations/invitations/invite-member.js';
import {
  addPasskey,
  listPasskeys,
  proposePasskey,
  removePasskey,
} from '../../../../src/domain/organizations/second-factor/own-passkeys.js';
import { relyingPartyOf } from '../../../../src/domain/organizations/passkeys/relying-party.js';
import {
  proposePasskeySignIn,
  signInWithPasskey,
} from '../../../../src/domain/organizations/sign-in/sign-in-with-passkey.js';
import { createRecoveryCodes } from '../../../../src/domain/organizations/second-factor/recovery-codes.js';
import { proposeStepUp, stepUp } from '../../../../src/domain/organizations/second-factor/step-up.js';
import { sql } from '../../../../src/platform/database/index.js';
import type { JsonObject } from '../../../../src/platform/kernel/encoding/json.js';
import { type Deviation, SoftAuthenticator } from '../../../kit/browser/authenticator.js';
import {
  SEED_PASSWORD,
  type SeededUser,
  seedMember,
  seedOrganization,
  openTestFoundation,
} from '../../../kit/seed.js';

const ORIGIN = 'https://lucarne.example';
const DOOR = { origin: () => ORIGIN };
const UNAUTHENTICATED = { code: 'UNAUTHENTICATED' };
const STALE = { code: 'FORBIDDEN', reason: 'fresh_factor_required' };

let instant = Date.parse('2126-11-21T10:00:00.000Z');
const { database, foundation } = await openTestFoundation({ now: () => new Date(instant) });
const home = await seedOrganization(foundation);
const other = await seedOrganization(foundation, { name: 'Other', foreignId: 'elsewhere' });

describe('passkeys', () => {
  let address = '';
  let stories = 0;

  beforeEach(() => {
    address = `198.18.1.${(stories += 1)}`;
    instant += 60_000;
  });

  const party = () => relyingPartyOf(ORIGIN);
  const now = async ({ sessionToken }: { sessionToken: string }): Promise<UserPrincipal> => {
    const [session] = await findSessions(database, [hashSessionToken(sessionToken as never)]);
    return session!.principal;
  };
  async function enrol(
    algorithm: 'ES256' | 'EdDSA' = 'ES256',
    organization = home,
    counts = true,
  ): Promise<SeededUser & { device: SoftAuthenticator }> {
    const member = await seedMember(foundation, organization.organization.id, {}, 'Pia Passkey');
    const device = new SoftAuthenticator(ORIGIN, algorithm, counts);
    const response = device.create(await proposePasskey(foundation, DOOR, member.principal));
    const input = { name: 'Laptop', response, password: SEED_PASSWORD };
    await addPasskey(foundation, DOOR, member.principal, input, address);
    return { ...member, device };
  }
  async function enter(device: SoftAuthenticator, wrong: Deviation = {}, options?: JsonObject) {
    const response = device.get(options ?? (await proposePasskeySignIn(foundation, DOOR)), wrong);
    return signInWithPasskey(foundation, DOOR, { response }, address);
  }
  const events = async ({ userId }: UserPrincipal) =>
    (
      await database.rows(sql<{ type: string }>`
        select event_type as type from activity_entries where actor_id = ${userId} order by sequence`)
    ).map(({ type }) => type);

  it.each(['ES256', 'EdDSA'] as const)(
    'sign in without a password if they are of the kind %s',
    async (algorithm) => {
      const { device, principal } = await enrol(algorithm);
      const signedIn = await enter(device);
      expect(signedIn.principal).toMatchObject({ userId: principal.userId, factorAt: new Date(instant) });
      await enter(device);
      expect(await events(principal)).toContain('user.passkey_added');
    },
  );

  it('can sign in repeatedly if they are synchronized and never count', async () => {
    const { device } = await enrol('ES256', home, false);
    await enter(device);
    await enter(device);
  });

  const ATTACKS: Record<string, Deviation> = {
    'on a page of another origin': { origin: 'https://lucarne.example.evil.test' },
    'on the same host by another port': { origin: 'https://lucarne.example:8443' },
    'in a frame of another origin': { crossOrigin: true },
    'for another relying party': { rpId: 'evil.test' },
    'without verifying the person': { userVerified: false },
    'without anyone present': { userPresent: false, userVerified: false },
    'with a counter that goes back': { counter: 1 },
    'with changed bytes': { tamper: true },
    'as a registration': { type: 'webauthn.create' },
    'with an invented challenge': { challenge: Buffer.alloc(56, 7).toString('base64url') },
    'for another account': { userHandle: Buffer.alloc(32, 7).toString('base64url') },
  };

  it.each(Object.entries(ATTACKS))('do not sign in %s', async (_, wrong) => {
    const { device } = await enrol();
    await enter(device);
    await expect(enter(device, wrong)).rejects.toMatchObject(UNAUTHENTICATED);
  });

  it('do not sign in with a response that was used, is too old, or is for something else', async () => {
    const { device, sessionToken } = await enrol();
    const options = await proposePasskeySignIn(foundation, DOOR);
    const response = device.get(options);
    await signInWithPasskey(foundation, DOOR, { response }, address);
    await expect(signInWithPasskey(foundation, DOOR, { response }, address)).rejects.toMatchObject(
      UNAUTHENTICATED,
    );
    await expect(enter(device, {}, options)).rejects.toMatchObject(UNAUTHENTICATED);
    const forStepUp = await proposeStepUp(foundation, DOOR, await now({ sessionToken }));
    await expect(enter(device, {}, forStepUp)).rejects.toMatchObject(UNAUTHENTICATED);
    const old = await proposePasskeySignIn(foundation, DOOR);
    instant += 5 * 60_000;
    await expect(enter(device, {}, old)).rejects.toMatchObject(UNAUTHENTICATED);
  });

  it('sign in once if two browsers use them concurrently', async () => {
    const { device } = await enrol();
    const response = device.get(await proposePasskeySignIn(foundation, DOOR));
    const race = await Promise.allSettled([
      signInWithPasskey(foundation, DOOR, { response }, address),
      signInWithPasskey(foundation, DOOR, { response }, address),
    ]);
    expect(race.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('are refused with the same response if they are unknown or malformed', async () => {
    const { device } = await enrol();
    const stranger = new SoftAuthenticator(ORIGIN);
    const member = await seedMember(foundation, home.organization.id);
    stranger.create(await proposePasskey(foundation, DOOR, member.principal));
    await expect(enter(stranger)).rejects.toMatchObject(UNAUTHENTICATED);
    const response = device.get(await proposePasskeySignIn(foundation, DOOR));
    for (const nonsense of [
      {},
      { response: null },
      { ...response, response: {} },
      { ...response, id: 'x' },
    ]) {
      await expect(
        signInWithPasskey(foundation, DOOR, { response: nonsense }, address),
      ).rejects.toMatchObject(UNAUTHENTICATED);
    }
  });

  it('belong to one account: no one can add or use another account’s, in any organization', async () => {
    const { device } = await enrol();
    const neighbour = await seedMember(foundation, other.organization.id);
    const own = new SoftAuthenticator(ORIGIN);
    own.create(await proposePasskey(foundation, DOOR, neighbour.principal));
    const copied = device.credentials.at(-1)!;
    // The answer to the challenge of another user.
    const foreign = new SoftAuthenticator(ORIGIN);
    const stolen = foreign.create(await proposePasskey(foundation, DOOR, (await enrol()).principal));
    await expect(
      addPasskey(
        foundation,
        DOOR,
        neighbour.principal,
        { name: 'Stolen', response: stolen, password: SEED_PASSWORD },
        address,
      ),
    ).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
    const stepUpOptions = await proposeStepUp(foundation, DOOR, neighbour.principal);
    const passkey = device.get(stepUpOptions, { credential: copied });
    await expect(stepUp(foundation, DOOR, neighbour.principal, { passkey }, address)).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
    });
    const { principal } = await enter(device);
    expect(principal.organizationId).toBe(home.organization.id);
    const response = device.get(await proposePasskeySignIn(foundation, DOOR));
    const organizationId = other.organization.id;
    await expect(
      signInWithPasskey(foundation, DOOR, { response, organizationId }, address),
    ).rejects.toMatchObject(UNAUTHENTICATED);
  });

  it('are created only for this page, by a verified person, and once', async () => {
    const { principal } = await seedMember(foundation, home.organization.id);
    const device = new SoftAuthenticator(ORIGIN);
    const wrongs: Deviation[] = [
      { origin: 'https://evil.test' },
      { rpId: 'evil.test' },
      { userVerified: false },
      { crossOrigin: true },
      { challenge: Buffer.alloc(56, 7).toString('base64url') },
    ];
    for (const wrong of wrongs) {
      const response = device.create(await proposePasskey(foundation, DOOR, principal), wrong);
      const input = { name: 'Laptop', response, password: SEED_PASSWORD };
      await expect(addPasskey(foundation, DOOR, principal, input, address)).rejects.toMatchObject({
        code: 'BAD_USER_INPUT',
      });
    }
    const response = device.create(await proposePasskey(foundation, DOOR, principal));
    const input = { name: 'Laptop', response, password: SEED_PASSWORD };
    await expect(
      addPasskey(foundation, DOOR, principal, { ...input, password: 'a wrong password' }, address),
    ).rejects.toMatchObject({ code: 'BAD_USER_INPUT', message: 'password is wrong.' });
    await addPasskey(foundation, DOOR, principal, input, address);
    const fresh = { ...principal, factorAt: new Date(instant) };
    await expect(addPasskey(foundation, DOOR, fresh, input, address)).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect(await listPasskeys(foundation, principal)).toHaveLength(1);
  });

  it('make the password alone insufficient, and count as its second factor', async () => {
    const { email, device } = await enrol();
    const credentials = { email, password: SEED_PASSWORD };
    await expect(signIn(foundation, credentials, address)).rejects.toMatchObject(UNAUTHENTICATED);
    const passkey = device.get(await proposePasskeySignIn(foundation, DOOR));
    const signedIn = await signIn(
      foundation,
      { ...credentials, passkey },
      address,
      undefined,
      undefined,
      party,
    );
    expect(signedIn.principal.factorAt).toEqual(new Date(instant));
    await expect(
      signIn(foundation, { ...credentials, passkey }, address, undefined, undefined, party),
    ).rejects.toMatchObject(UNAUTHENTICATED);
  });

  it('can be removed only with a fresh factor; removal ends other sessions', async () => {
    const member = await enrol();
    const first = await enter(member.device);
    const second = await enter(member.device);
    const [passkey] = await listPasskeys(foundation, second.principal);
    instant += 5 * 60_000;
    await expect(removePasskey(foundation, second.principal, passkey!.id)).rejects.toMatchObject(STALE);
    const options = await proposeStepUp(foundation, DOOR, second.principal);
    await stepUp(foundation, DOOR, second.principal, { passkey: member.device.get(options) }, address);
    const foreign = await enrol();
    await expect(removePasskey(foundation, await now(foreign), passkey!.id)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await removePasskey(foundation, await now({ sessionToken: second.token }), passkey!.id);
    expect(await findSessions(database, [hashSessionToken(first.token)])).toEqual([]);
    await expect(enter(member.device)).rejects.toMatchObject(UNAUTHENTICATED);
    expect(await events(second.principal)).toContain('user.passkey_removed');
  });

  it('can be the first sign-in method of an invited person, without any password', async () => {
    const email = `invited-${stories}@example.test`;
    const { link } = await inviteMember(foundation, DOOR, home.owner.principal, {
      email,
      name: 'Ida Invited',
    });
    const token = link!.split('#')[1]!;
    const device = new SoftAuthenticator(ORIGIN);
    await expect(proposeInvitationPasskey(foundation, DOOR, 'nonsense')).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    const response = device.create(await proposeInvitationPasskey(foundation, DOOR, token));
    const wrong = { token, password: 'short', passkey: { name: '', response } };
    await expect(
      acceptInvitation(foundation, wrong, undefined, address, undefined, party),
    ).rejects.toMatchObject({ members: [{ member: 'passkey.name' }, { member: 'password' }] });
    const input = { token, passkey: { name: 'Phone', response } };
    const accepted = await acceptInvitation(foundation, input, undefined, address, undefined, party);
    expect(accepted.principal).toMatchObject({ email, factorAt: new Date(instant) });
    expect((await enter(device)).principal.userId).toBe(accepted.principal.userId);
    for (const password of ['', SEED_PASSWORD])
      await expect(signIn(foundation, { email, password }, address)).rejects.toMatchObject(UNAUTHENTICATED);
    const [only] = await listPasskeys(foundation, accepted.principal);
    await expect(removePasskey(foundation, accepted.principal, only!.id)).rejects.toMatchObject({
      code: 'CONFLICT',
    });
  });

  describe('and recovery codes', () => {
    it('exist ten at a time, replace a factor once each, and can be typed in any format', async () => {
      const { email, device, principal } = await enrol();
      const session = await enter(device);
      const codes = await createRecoveryCodes(foundation, session.principal);
      expect(new Set(codes).size).toBe(10);
      for (const code of codes) expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
      const credentials = { email, password: SEED_PASSWORD };
      const enterWith = (recoveryCode: string) =>
        signIn(foundation, { ...credentials, recoveryCode }, address);
      await enterWith(codes[0]!);
      await expect(enterWith(codes[0]!)).rejects.toMatchObject(UNAUTHENTICATED);
      await enterWith(codes[1]!.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o'));
      const race = await Promise.allSettled([enterWith(codes[2]!), enterWith(codes[2]!)]);
      expect(race.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const renewed = await createRecoveryCodes(foundation, session.principal);
      await expect(enterWith(codes[3]!)).rejects.toMatchObject(UNAUTHENTICATED);
      await enterWith(renewed[3]!);
      expect((await events(principal)).filter((type) => type === 'user.recovery_code_used')).toHaveLength(4);
    });

    it('are stored as keyed digests, and open no other account', async () => {
      const { device } = await enrol();
      const codes = await createRecoveryCodes(foundation, (await enter(device)).principal);
      const rows = await database.rows(sql<{ text: string }>`
        select r::text as text from recovery_codes r union all select a::text from activity_entries a`);
      const stored = rows.map(({ text }) => text).join('\n');
      for (const code of codes) {
        expect(stored).not.toContain(code);
        expect(stored).not.toContain(Buffer.from(code).toString('hex'));
      }
      const { email } = await enrol();
      await expect(
        signIn(foundation, { email, password: SEED_PASSWORD, recoveryCode: codes[0]! }, address),
      ).rejects.toMatchObject(UNAUTHENTICATED);
    });

    it('are created only with a fresh factor, and not without any factor', async () => {
      const { principal } = await seedMember(foundation, home.organization.id);
      await expect(createRecoveryCodes(foundation, principal)).rejects.toMatchObject({ code: 'CONFLICT' });
      const { device } = await enrol();
      const session = await enter(device);
      instant += 5 * 60_000;
      await expect(createRecoveryCodes(foundation, session.principal)).rejects.toMatchObject(STALE);
    });
  });

  describe('and stepping up', () => {
    it('lasts five minutes, by a one-time code, a recovery code or a passkey, each usable once', async () => {
      const member = await seedMember(foundation, home.organization.id);
      const { secret } = proposeTotp(foundation, member.principal);
      const code = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: instant });
      await enableTotp(
        foundation,
        member.principal,
        { password: SEED_PASSWORD, secret, totp: code() },
        address,
      );
      instant += 60_000;
      const credentials = { email: member.email, password: SEED_PASSWORD };
      const { token, principal } = await signIn(foundation, { ...credentials, totp: code() }, address);
      expect(principal.factorAt).toEqual(new Date(instant));
      const codes = await createRecoveryCodes(foundation, principal);
      instant += 10 * 60_000;
      const totp = code();
      await stepUp(foundation, DOOR, principal, { totp }, address);
      expect((await now({ sessionToken: token })).factorAt).toEqual(new Date(instant));
      const wrong = { code: 'BAD_USER_INPUT', message: 'The second factor is wrong.' };
      await expect(stepUp(foundation, DOOR, principal, { totp }, address)).rejects.toMatchObject(wrong);
      await stepUp(foundation, DOOR, principal, { recoveryCode: codes[0]! }, address);
      await expect(
        stepUp(foundation, DOOR, principal, { recoveryCode: codes[0]! }, address),
      ).rejects.toMatchObject(wrong);
    });

    it('cannot be used to guess codes', async () => {
      const { device } = await enrol();
      const { principal } = await enter(device);
      const codes: string[] = [];
      for (let guess = 0; guess < 6; guess += 1) {
        const thrown: unknown = await stepUp(
          foundation,
          DOOR,
          principal,
          { recoveryCode: 'x' },
          address,
        ).catch((error: unknown) => error);
        codes.push((thrown as { code: string }).code);
      }
      expect(codes).toEqual([...Array<string>(5).fill('BAD_USER_INPUT'), 'TOO_MANY_REQUESTS']);
    });
  });
});

describe('the relying party', () => {
  it('is the public host, `localhost` on this machine, and never an IP address', () => {
    expect(relyingPartyOf('https://lucarne.example')).toEqual({ id: 'lucarne.example', origin: ORIGIN });
    expect(relyingPartyOf('http://127.0.0.1:4000')).toEqual({
      id: 'localhost',
      origin: 'http://localhost:4000',
    });
    expect(() => relyingPartyOf('https://192.0.2.1')).toThrow('domain name');
  });
});
