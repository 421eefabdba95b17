import { beforeAll, expect, it } from '@jest/globals';
import { portalStories } from '../../kit/browser/portal.js';
import { openDesk, type Desk } from '../kit.js';

/** A press leaves the field before it, whose problem appears or disappears then, and moves what is pressed. */
portalStories('A click beside a field whose problem changes', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
  });

  it('is not lost: what an administrator leaves out of a case stays out', async () => {
    const request = await desk.ask('Less than this');
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.administrator, `/a/payments/requests/${request}`);
    await page.getByRole('button', { name: 'Approve…' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('Grant less than was requested').click();
    const days = dialog.getByLabel('Days of access');
    await days.fill('31');
    // The problem of the days appears above the box, and moves it down.
    await dialog.getByText('Ana Auditor', { exact: true }).last().click();
    await dialog.getByText('Enter 30 or less.').waitFor();
    expect(await dialog.getByRole('checkbox', { name: 'Ana Auditor' }).isChecked()).toBe(false);
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('is not lost: one press sends what was corrected', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, '/organization/people');
    await page.getByRole('button', { name: 'Invite a person…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail address').fill('kim@example.org');
    await dialog.getByLabel('Name').fill('Kim Kept');
    await dialog.getByRole('button', { name: 'Create the invitation' }).click();
    const link = (await page.getByText('/invitation#').textContent())!;

    const invited = await story.visit();
    await invited.open(link.slice(link.indexOf('/portal') + '/portal'.length));
    const password = invited.page.getByLabel('Password, at least 12 characters');
    const accept = invited.page.getByRole('button', { name: 'Accept the invitation' });
    await password.fill('too short');
    await accept.click();
    await invited.page.getByText('Enter at least 12 characters.').waitFor();
    await password.fill('long enough by far');
    await accept.click();
    await invited.page.getByRole('heading', { level: 1, name: 'To do' }).waitFor();
  });
});
