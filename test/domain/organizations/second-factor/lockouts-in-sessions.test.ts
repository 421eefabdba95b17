import { beforeEach, describe, expect, it } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import type { UserPrincipal } from '../../../../src/domain/access/index.js';
import {
  changePassword,
  createSecurityLog,
  disableTotp,
  enableTotp,
  proposeTotp,
} from '../../../../src/domain/organizations/index.js';
import { acceptInvitation } from '../../../../src/domain/organizations/invitations/accept-invitation.js';
import { inviteMember } from '../../../../src/domain/organizations/invitations/invite-member.js';
import { stepUp } from '../../../../src/domain/organizations/second-factor/step-up.js';
import { listSecurityEvents } from '../../../../src/domain/organizations/security-log/list-security-events.js';
import { isLucarneError } from '../../../../src/platform/kernel/errors.js';
import {
  openTestFoundation,
  SEED_PASSWORD,
  type SeededOrganization,
  type SeededUser,
  seedMember,
  seedOrganization,
  seedSession,
} from '../../../kit/seed.js';

const SITE = { origin: () => 'https://lucarne.example' };
const ADDRESS = '198.51.100.61';
const { foundation } = await openTestFoundation();

const WRONG = { totp: '000000' };
const OPERATIONS: Record<string, (principal: UserPrincipal) => Promise<unknown>> = {
  stepUp: (principal) => stepUp(foundation, SITE, principal, WRONG, ADDRESS),
  changePassword: (principal) =>
    changePassword(
      foundation,
      { ...principal, factorAt: new Date() },
      { currentPassword: 'wrong', newPassword: 'a new one of hers' },
      ADDRESS,
    ),
  disableTotp: (principal) =>
    disableTotp(foundation, principal, { ...WRONG, password: SEED_PASSWORD }, ADDRESS),
};

describe('failures in a session', () => {
  it.each(['stepUp', 'changePassword'])(
    'by %s delay no account of another organization with the same address',
    async (operation) => {
      const bank = await seedOrganization(foundation);
      const fund = await seedOrganization(foundation, { name: 'Fund', foreignId: 'fund' });
      const { email, principal } = await seedMember(foundation, bank.organization.id);
      const guest = { email, name: 'Guest' };
      const { link } = await inviteMember(foundation, SITE, fund.owner.principal, guest);
      const input = { token: link!.split('#')[1]!, password: 'a password of the guest' };
      const joined = await acceptInvitation(foundation, input, undefined, ADDRESS);
      const attempt = (caller: UserPrincipal) =>
        OPERATIONS[operation]!(caller).then(
          () => undefined,
          (thrown: unknown) => (isLucarneError(thrown) ? thrown.code : thrown),
        );
      for (let failure = 0; failure < 5; failure += 1) await attempt(joined.principal);
      expect(await attempt(joined.principal)).toBe('TOO_MANY_REQUESTS');
      expect(await attempt(principal)).not.toBe('TOO_MANY_REQUESTS');
    },
  );
});

describe('a lockout in a session of a member of two organizations', () => {
  let bank: SeededOrganization;
  let fund: SeededOrganization;
  let member: SeededUser;
  beforeEach(async () => {
    bank = await seedOrganization(foundation);
    fund = await seedOrganization(foundation, { name: 'Fund', foreignId: 'fund' });
    member = await seedMember(foundation, bank.organization.id);
    const { principal } = member;
    const { secret } = proposeTotp(foundation, principal);
    const totp = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
    await enableTotp(foundation, principal, { secret, totp, password: SEED_PASSWORD }, ADDRESS);
    // Enabling it ended the sessions.
    member = await seedSession(foundation, bank.organization.id, { ...principal, id: principal.userId });
  });

  /** The same account becomes a member of the fund. */
  const joinFund = async (email: string) => {
    const guest = { email, name: 'Guest' };
    const { link } = await inviteMember(foundation, SITE, fund.owner.principal, guest);
    const input = { token: link!.split('#')[1]! };
    return (await acceptInvitation(foundation, input, member.principal, ADDRESS)).principal;
  };
  const failSixTimes = async (operation: string, principal: UserPrincipal) => {
    await using log = createSecurityLog(foundation);
    for (let failure = 0; failure < 6; failure += 1) {
      const refused = await OPERATIONS[operation]!(principal).then(
        () => undefined,
        (thrown: unknown) => (isLucarneError(thrown) ? thrown : undefined),
      );
      log.refused(refused, { principal, clientAddress: ADDRESS, requestId: 'r-1', operation });
    }
  };
  const eventsOf = async ({ owner }: SeededOrganization) =>
    (await listSecurityEvents(foundation, owner.principal)).nodes.map(({ event, subjectId }) => [
      event,
      subjectId,
    ]);
  const lockoutOf = ({ userId }: UserPrincipal) => [
    ['sign_in.locked_out', userId],
    ...Array.from({ length: 5 }, () => ['password.refused', userId]),
  ];

  describe.each(Object.keys(OPERATIONS))('by %s', (operation) => {
    it('is shown to the organization of the session only', async () => {
      await joinFund(member.email);
      await failSixTimes(operation, member.principal);
      expect(await eventsOf(bank)).toEqual(lockoutOf(member.principal));
      expect(await eventsOf(fund)).toEqual([]);
    });

    it('is shown there also if the account has another address', async () => {
      const joined = await joinFund(`guest-${member.email}`);
      await failSixTimes(operation, joined);
      expect(await eventsOf(fund)).toEqual(lockoutOf(joined));
      expect(await eventsOf(bank)).toEqual([]);
    });
  });
});
