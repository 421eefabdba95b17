import { beforeEach, describe, expect, it } from '@jest/globals';
import { operatorOf, PERMISSIONS, type UserPrincipal } from '../../../src/domain/access/index.js';
import { findSessions } from '../../../src/domain/access/authentication/find-sessions.js';
import { hashSessionToken } from '../../../src/domain/access/authentication/session-lifetime.js';
import { createDisclosurePolicy } from '../../../src/domain/disclosures/index.js';
import { createApiKey, removeMember, setPermissions } from '../../../src/domain/organizations/index.js';
import {
  acceptInvitation,
  proposeInvitationPasskey,
} from '../../../src/domain/organizations/invitations/accept-invitation.js';
import { inviteMember } from '../../../src/domain/organizations/invitations/invite-member.js';
import { listInvitations } from '../../../src/domain/organizations/invitations/list-invitations.js';
import { resetMemberSignIn } from '../../../src/domain/organizations/invitations/reset-member-sign-in.js';
import {
  confirmPermissionGrant,
  listPendingGrants,
} from '../../../src/domain/organizations/members/confirm-permission-grant.js';
import { setRetention } from '../../../src/domain/organizations/retention/set-retention.js';
import { updateOrganization } from '../../../src/domain/organizations/update-organization.js';
import {
  type SeededOrganization,
  type SeededUser,
  seedMember,
  seedOrganization,
  openTestFoundation,
} from '../../kit/seed.js';
import { AUTHORIZE_ALL } from '../disclosures/kit.js';

const DOOR = { origin: () => 'https://lucarne.example' };
const ADDRESS = '198.51.100.41';
const NOT_FOUND = { code: 'NOT_FOUND' };
const FORBIDDEN = { code: 'FORBIDDEN' };
const NOT_ALONE = { code: 'FORBIDDEN', reason: 'second_person_required' };
const EVERYTHING = { owner: PERMISSIONS.owner };
const NOT_MEMBERS = { owner: PERMISSIONS.owner.filter((name) => name !== 'members:manage') };

const { database, foundation } = await openTestFoundation();

describe('an owner who was removed', () => {
  let home: SeededOrganization;
  let olga: UserPrincipal;
  let mallory: SeededUser;
  let counter = 0;

  beforeEach(async () => {
    home = await seedOrganization(foundation);
    olga = home.owner.principal;
    mallory = await seedMember(foundation, home.organization.id, EVERYTHING, 'Mallory');
  });

  const puppet = () => ({ email: `puppet-${(counter += 1)}@example.test`, name: 'Puppet' });
  const tokenOf = (link: string | null) => link!.split('#')[1]!;
  const invite = async (by: UserPrincipal | ReturnType<typeof operatorOf>) =>
    tokenOf((await inviteMember(foundation, DOOR, by, { ...puppet(), permissions: EVERYTHING })).link);
  const accept = (token: string) =>
    acceptInvitation(foundation, { token, password: 'mallory knows this password' }, undefined, ADDRESS);
  const sentAway = () => removeMember(foundation, olga, mallory.principal.userId);
  const demoted = () =>
    setPermissions(foundation, olga, { memberId: mallory.principal.userId, permissions: NOT_MEMBERS });
  const holds = async ({ sessionToken }: SeededUser) => {
    const [session] = await findSessions(database, [hashSessionToken(sessionToken)]);
    return [...session!.principal.grants.owner];
  };

  it.each([
    ['removed', sentAway],
    ['left without members:manage', demoted],
  ])('does not come back by an invitation made before being %s', async (_, endIt) => {
    const token = await invite(mallory.principal);
    await endIt();
    await expect(proposeInvitationPasskey(foundation, DOOR, token)).rejects.toMatchObject(NOT_FOUND);
    await expect(accept(token)).rejects.toMatchObject(NOT_FOUND);
    const [listed] = (await listInvitations(foundation, olga)).nodes;
    expect(listed!.revokedAt).not.toBeNull();
  });

  it('cannot take over another member’s account with a link for a new sign-in', async () => {
    const { link } = await resetMemberSignIn(foundation, DOOR, mallory.principal, olga.userId);
    await sentAway();
    await expect(accept(tokenOf(link))).rejects.toMatchObject(NOT_FOUND);
  });

  it('leaves others’ and the operator’s invitations unchanged', async () => {
    const tokens = [await invite(olga), await invite(operatorOf(home.organization.id))];
    await sentAway();
    for (const token of tokens) await accept(token);
  });

  it('cannot act with a request that was admitted before the removal and is still queued', async () => {
    const { principal } = mallory;
    const ally = await seedMember(foundation, home.organization.id);
    await sentAway();
    const memberId = ally.principal.userId;
    await expect(
      setPermissions(foundation, principal, { memberId, permissions: EVERYTHING }),
    ).rejects.toMatchObject(FORBIDDEN);
    await expect(removeMember(foundation, principal, memberId)).rejects.toMatchObject(FORBIDDEN);
    await expect(invite(principal)).rejects.toMatchObject(FORBIDDEN);
    await expect(resetMemberSignIn(foundation, DOOR, principal, olga.userId)).rejects.toMatchObject(
      FORBIDDEN,
    );
    expect(await holds(ally)).toEqual([]);
  });

  it.each([
    ['removed', sentAway],
    [
      'left with no permission',
      () =>
        setPermissions(foundation, olga, {
          memberId: mallory.principal.userId,
          permissions: { owner: [], applications: [] },
        }),
    ],
  ])('decides nothing alone by a request that waits for its turn, when %s', async (_, endIt) => {
    const { principal } = mallory;
    await endIt();
    const key = { name: 'Kept', scopes: ['disclosures:write'] };
    const decisions = await Promise.allSettled([
      createApiKey(foundation, principal, key),
      createDisclosurePolicy(foundation, principal, AUTHORIZE_ALL),
      setRetention(foundation, principal, { kind: 'reports', years: 5, reason: 'Less to keep' }),
    ]);
    for (const decision of decisions) expect(decision).toMatchObject({ reason: FORBIDDEN });
  });

  describe('in an organization that requires a second person', () => {
    beforeEach(async () => {
      const change = { requireSecondPerson: true };
      await updateOrganization(foundation, mallory.principal, change).catch(() => undefined);
      await updateOrganization(foundation, olga, change);
    });
    const waiting = async () => (await listPendingGrants(foundation, olga)).nodes;

    it.each([
      ['removed', () => removeMember(foundation, olga, mallory.principal.userId)],
      ['left without members:manage', demoted],
    ])('no longer counts as the first person for a grant made before being %s', async (_, endIt) => {
      const ally = await seedMember(foundation, home.organization.id);
      const grant = { memberId: ally.principal.userId, permissions: { owner: ['api_keys:manage'] } };
      await setPermissions(foundation, mallory.principal, grant);
      await endIt();
      const [left] = await waiting();
      await expect(confirmPermissionGrant(foundation, olga, left!.id)).rejects.toMatchObject(NOT_ALONE);
      // The remaining owner grants it again, for another person to confirm.
      await setPermissions(foundation, olga, grant);
      const [again] = await waiting();
      expect(again).toMatchObject({ grantedBy: olga.userId });
      const third = await seedMember(foundation, home.organization.id, EVERYTHING, 'Theo');
      await confirmPermissionGrant(foundation, third.principal, again!.id);
      expect(await holds(ally)).toEqual(['api_keys:manage']);
    });

    it('does not count again as the first person for an earlier grant when members:manage is restored', async () => {
      const ally = await seedMember(foundation, home.organization.id);
      const grant = { memberId: ally.principal.userId, permissions: { owner: ['api_keys:manage'] } };
      await setPermissions(foundation, mallory.principal, grant);
      await demoted();
      const theo = await seedMember(foundation, home.organization.id, EVERYTHING, 'Theo');
      await setPermissions(foundation, olga, {
        memberId: mallory.principal.userId,
        permissions: EVERYTHING,
      });
      const ofMallory = async () =>
        (await waiting()).find(({ userId }) => userId === mallory.principal.userId)!;
      await confirmPermissionGrant(foundation, theo.principal, (await ofMallory()).id);
      const [left] = await waiting();
      await expect(confirmPermissionGrant(foundation, olga, left!.id)).rejects.toMatchObject(NOT_ALONE);
      // A new grant counts, also by the same person.
      await setPermissions(foundation, mallory.principal, grant);
      const [again] = await waiting();
      await confirmPermissionGrant(foundation, olga, again!.id);
      expect(await holds(ally)).toEqual(['api_keys:manage']);
    });

    it.each([
      ['removed', sentAway],
      [
        'left without api_keys:manage',
        () =>
          setPermissions(foundation, olga, {
            memberId: mallory.principal.userId,
            permissions: { owner: PERMISSIONS.owner.filter((name) => name !== 'api_keys:manage') },
          }),
      ],
    ])(
      'counts neither as first nor as second person by a request that waits for its turn, when %s',
      async (_, endIt) => {
        const first = { name: 'Left over', scopes: ['disclosures:write'] };
        const second = { ...first, name: 'Never asked for' };
        const { principal } = mallory;
        await createApiKey(foundation, olga, first).catch(() => undefined);
        await endIt();
        await expect(createApiKey(foundation, principal, first)).rejects.toMatchObject(FORBIDDEN);
        await expect(createApiKey(foundation, principal, second)).rejects.toMatchObject(FORBIDDEN);
        // It was not requested before.
        await expect(createApiKey(foundation, olga, second)).rejects.toMatchObject({ code: 'CONFLICT' });
      },
    );
  });
});
