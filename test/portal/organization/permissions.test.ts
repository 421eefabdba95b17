import { beforeAll, expect, it } from '@jest/globals';
import { PERMISSIONS } from '../../../src/domain/access/index.js';
import { createApplication } from '../../../src/domain/organizations/index.js';
import { portalStories, within, type Visitor } from '../../kit/browser/portal.js';
import { seedMember, seedOrganization, type SeededUser } from '../../kit/seed.js';
import { openDesk, type Desk } from '../kit.js';

portalStories('permissions in the portal', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
  });
  const newMember = (name: string) =>
    seedMember(
      story.app.application.foundation,
      story.app.organization.organization.id,
      { applications: [{ foreignId: 'payments', common: PERMISSIONS.common }] },
      name,
    );
  const permissionsOf = async ({ principal }: SeededUser) => {
    const read = await desk.asOwner(
      'query ($id: ID!) { member(id: $id) { permissions { owner applications { foreignId common auditor } } } }',
      { id: principal.userId },
    );
    return within(read, 'member', 'permissions');
  };
  async function openDialog(visitor: Visitor, { principal }: SeededUser) {
    await visitor.enter(desk.everything, `/organization/people/${principal.userId}`);
    await visitor.page.getByRole('button', { name: 'Change permissions…' }).click();
    return visitor.page.getByRole('dialog');
  }

  it('are preserved if another owner granted them while the dialog was open, including those of a new application', async () => {
    const member = await newMember('Mia Meanwhile');
    const visitor = await story.visit();
    const dialog = await openDialog(visitor, member);
    await dialog.getByRole('group', { name: 'Acme payments: auditor' }).getByLabel('cases:create').check();
    await createApplication(story.app.application.foundation, desk.everything.principal, {
      foreignId: 'meanwhile',
      name: 'Made meanwhile',
    });
    await desk.permit(
      member,
      ['relays:read'],
      [
        { foreignId: 'payments', common: [...PERMISSIONS.common] },
        { foreignId: 'meanwhile', common: [...PERMISSIONS.common] },
      ],
    );
    await dialog.getByRole('button', { name: 'Save the permissions' }).click();
    await dialog.waitFor({ state: 'detached' });
    const common = [...PERMISSIONS.common];
    expect(await permissionsOf(member)).toEqual({
      owner: ['relays:read'],
      applications: [
        { foreignId: 'meanwhile', common, auditor: [] },
        { foreignId: 'payments', common, auditor: ['cases:create'] },
      ],
    });
  });

  it('are changed in an organization with 600 applications', async () => {
    const { foundation } = story.app.application;
    const seeded = await seedOrganization(foundation);
    for (let at = 0; at < 600; at += 1) {
      await createApplication(foundation, seeded.owner.principal, {
        foreignId: `application-${String(at).padStart(3, '0')}-${'x'.repeat(45)}`,
        name: `Application ${at}`,
      });
    }
    const member = await seedMember(foundation, seeded.organization.id, {}, 'Max Many');
    const visitor = await story.visit();
    await visitor.enter(seeded.owner, `/organization/people/${member.principal.userId}`);
    await visitor.page.getByRole('button', { name: 'Change permissions…' }).click();
    const dialog = visitor.page.getByRole('dialog');
    await dialog.getByText('Shown are 20 of 601 applications').waitFor();
    expect(await dialog.getByRole('group', { name: /: auditor$/ }).count()).toBe(20);
    const find = dialog.getByLabel('Application', { exact: true });
    await find.fill('Application 599');
    await dialog.getByRole('group', { name: 'Application 599: auditor' }).getByLabel('cases:create').check();
    // A selected item stays visible, whatever is searched for next.
    await find.fill('no such name');
    expect(await dialog.getByRole('group', { name: /: auditor$/ }).count()).toBe(1);
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await dialog.getByRole('button', { name: 'Save the permissions' }).click();
    await dialog.waitFor({ state: 'detached' });
    await visitor.page.getByText('cases:create').first().waitFor();
  });

  it('cannot be selected from a list of applications that does not end, and the dialog explains why', async () => {
    const member = await newMember('Elli Endless');
    const visitor = await story.visit();
    let first: unknown;
    await visitor.betray((operation, data) => {
      if (operation !== 'ApplicationNames') return;
      first ??= data['applications'];
      data['applications'] = first;
      within(data, 'applications', 'pageInfo')['hasNextPage'] = true;
    });
    const dialog = await openDialog(visitor, member);
    await dialog.getByText(/^The list does not end: the gateway names more after/).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });
});
