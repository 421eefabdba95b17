import { beforeEach, describe, expect, it } from '@jest/globals';
import { listActivity } from '../../../src/domain/activity-log/index.js';
import { erasePersonalValues, removeMember, signIn } from '../../../src/domain/organizations/index.js';
import { acceptInvitation } from '../../../src/domain/organizations/invitations/accept-invitation.js';
import {
  type InviteMemberInput,
  inviteMember,
} from '../../../src/domain/organizations/invitations/invite-member.js';
import { resetMemberSignIn } from '../../../src/domain/organizations/invitations/reset-member-sign-in.js';
import { revokeInvitation } from '../../../src/domain/organizations/invitations/revoke-invitation.js';
import { sql } from '../../../src/platform/database/index.js';
import {
  openTestFoundation,
  type SeededOrganization,
  type SeededUser,
  seedMember,
  seedOrganization,
} from '../../kit/seed.js';
import { faultsOfLog, sequence } from './kit.js';

const { database, foundation } = await openTestFoundation();
const ADDRESS = '198.51.100.20';
const PASSWORD = 'chosen by the person alone';
const site = { origin: () => 'https://lucarne.example' };

describe('erasing people who were invited', () => {
  let seed: SeededOrganization;
  /** Another owner, who invites people and then leaves. */
  let inga: SeededUser;
  let lea: { readonly email: string; readonly name: string };
  let people = 0;

  beforeEach(async () => {
    seed = await seedOrganization(foundation);
    inga = await seedMember(foundation, seed.organization.id, { owner: ['members:manage'] }, 'Inga Inviter');
    lea = { email: `lea-${(people += 1)}@example.test`, name: 'Lea Leaver' };
  });

  const invite = (person: InviteMemberInput = lea, by = seed.owner) =>
    inviteMember(foundation, site, by.principal, person);
  const accept = async ({ link }: { readonly link: string | null }) => {
    const input = { token: link!.split('#')[1]!, password: PASSWORD };
    return (await acceptInvitation(foundation, input, undefined, ADDRESS)).principal;
  };
  const remove = (userId: string) => removeMember(foundation, seed.owner.principal, userId);
  const erase = (userId: string) => erasePersonalValues(foundation, seed.owner.principal, userId);
  const stored = async () => {
    const [row] = await database.rows(sql<{ text: string }>`
      select (select coalesce(string_agg(entry::text || salts::text, ''), '') from activity_entries
          where organization_id = ${seed.organization.id})
        || (select coalesce(string_agg(i::text, ''), '') from invitations as i
          where organization_id = ${seed.organization.id}) as text`);
    return row!.text;
  };
  const invitationsLeft = async () => {
    const rows = await database.rows(
      sql`select from invitations where organization_id = ${seed.organization.id}`,
    );
    return rows.length;
  };
  const objectsOf = async (eventType: string) =>
    (await listActivity(foundation, seed.owner.principal, { eventType })).nodes.map(({ object }) => object);

  it('finds the invitations of an address whose letters have a case outside of A to Z', async () => {
    lea = { ...lea, email: `É${lea.email.toUpperCase()}` };
    const { userId } = await accept(await invite());
    await remove(userId);
    await erase(userId);
    expect(await invitationsLeft()).toBe(0);
    expect(await stored()).not.toContain(lea.email);
  });

  it('leaves the invitation of another address that only Unicode folds to the same', async () => {
    lea = { ...lea, email: `k${lea.email}` };
    const { userId } = await accept(await invite());
    await remove(userId);
    const other = await invite({ ...lea, email: lea.email.replace('k', '\u212a') });
    await revokeInvitation(foundation, seed.owner.principal, other.invitation.id);
    await erase(userId);
    expect(await invitationsLeft()).toBe(1);
  });

  it('leaves no trace of somebody who was invited, accepted and left', async () => {
    const { userId } = await accept(await invite());
    await remove(userId);
    await sequence(foundation);
    expect(await stored()).toContain(lea.email);
    await erase(userId);
    expect(await stored()).not.toContain(lea.name);
    expect(await stored()).not.toContain(lea.email);
    await sequence(foundation);
    expect(await faultsOfLog(database, seed.organization.id)).toEqual([]);
    expect(await objectsOf('member.invited')).toEqual([
      {
        invitation_id: expect.stringMatching(/^inv_/),
        name: { sha256: expect.any(String) },
        email: { sha256: expect.any(String) },
      },
    ]);
  });

  it('includes invitations that were replaced or revoked, before and after the person joined', async () => {
    await invite();
    await invite(lea, inga);
    // With the inviter, the link becomes invalid, and the log names the invited person again.
    await remove(inga.principal.userId);
    const withdrawn = await invite({ ...lea, email: lea.email.toUpperCase() });
    await revokeInvitation(foundation, seed.owner.principal, withdrawn.invitation.id);
    const { userId } = await accept(await invite());
    const reset = await resetMemberSignIn(foundation, site, seed.owner.principal, userId);
    await sequence(foundation);
    await revokeInvitation(foundation, seed.owner.principal, reset.invitation.id);
    await remove(userId);
    expect(await objectsOf('member.invitation_revoked')).toHaveLength(3);
    // Some of the entries wait for the sequencer.
    await erase(userId);
    expect(await stored()).not.toContain(lea.name);
    expect((await stored()).toLowerCase()).not.toContain(lea.email);
    await sequence(foundation);
    expect(await faultsOfLog(database, seed.organization.id)).toEqual([]);
  });

  it('finds the invitation that was accepted also after its row was deleted', async () => {
    const { userId } = await accept(await invite());
    await remove(userId);
    await database.rows(sql`delete from invitations where organization_id = ${seed.organization.id}`);
    await erase(userId);
    expect(await stored()).not.toContain(lea.name);
    expect(await stored()).not.toContain(lea.email);
  });

  it('keeps the names of everyone whom a former owner invited', async () => {
    const { userId } = await accept(await invite(lea, inga));
    const never = { email: `never-${people}@example.test`, name: 'Nina Never' };
    await invite(never, inga);
    await remove(inga.principal.userId);
    await sequence(foundation);
    await erase(inga.principal.userId);
    expect(await stored()).not.toContain('Inga Inviter');
    expect(await objectsOf('member.invited')).toMatchObject([never, lea]);
    expect(await objectsOf('member.invitation_revoked')).toMatchObject([never]);
    // Each of them is erased with their own erasure only.
    await remove(userId);
    await erase(userId);
    expect(await objectsOf('member.invited')).toMatchObject([
      never,
      { name: { sha256: expect.any(String) } },
    ]);
  });

  it.each([
    ['the person joined again', 'Lea Leaver'],
    ['somebody else joined with the same address', 'Yves Youngest'],
  ])('keeps the invitation of a later membership if %s', async (_, name) => {
    const first = await accept(await invite());
    await remove(first.userId);
    const later = await accept(await invite({ ...lea, name }));
    const reset = await resetMemberSignIn(foundation, site, seed.owner.principal, later.userId);
    await revokeInvitation(foundation, seed.owner.principal, reset.invitation.id);
    await sequence(foundation);
    await erase(first.userId);
    const gone = { name: { sha256: expect.any(String) }, email: { sha256: expect.any(String) } };
    const kept = { name, email: lea.email };
    expect(await objectsOf('member.invited')).toMatchObject([kept, gone]);
    expect(await objectsOf('member.added')).toMatchObject([kept, gone, {}, {}]);
    expect(await objectsOf('member.invitation_revoked')).toMatchObject([kept]);
    expect(await invitationsLeft()).toBe(2);
    // With the later membership, its invitations are erased, too.
    await remove(later.userId);
    await erase(later.userId);
    expect(await stored()).not.toContain(name);
    expect(await stored()).not.toContain(lea.email);
    expect(await invitationsLeft()).toBe(0);
  });

  it('erases all values of an entry that names the person both as the actor and as the invited person', async () => {
    const permissions = { owner: ['members:manage'] };
    const { userId } = await accept(await invite({ ...lea, permissions }));
    const reset = await resetMemberSignIn(foundation, site, seed.owner.principal, userId);
    const { principal } = await signIn(foundation, { email: lea.email, password: PASSWORD }, ADDRESS);
    await sequence(foundation);
    // The sequencer has not reached the entry when the person is erased.
    await revokeInvitation(foundation, principal, reset.invitation.id);
    await remove(userId);
    await erase(userId);
    expect(await stored()).not.toContain(lea.name);
    expect(await stored()).not.toContain(lea.email);
    await sequence(foundation);
    expect(await faultsOfLog(database, seed.organization.id)).toEqual([]);
  });

  it('keeps an invitation that is pending, because it is for a later membership', async () => {
    const { userId } = await accept(await invite());
    await remove(userId);
    await invite({ ...lea, name: 'Lea Later' });
    await erase(userId);
    expect(await stored()).not.toContain('Lea Leaver');
    expect(await objectsOf('member.invited')).toMatchObject([
      { name: 'Lea Later', email: lea.email },
      { name: { sha256: expect.any(String) } },
    ]);
  });
});
