import { beforeAll, expect, it } from '@jest/globals';
import { operatorOf, PERMISSIONS } from '../../src/domain/access/index.js';
import { createApplication } from '../../src/domain/organizations/index.js';
import { portalStories } from '../kit/portal.js';
import { seedMember, type SeededUser } from '../kit/seed.js';
import { openDesk, type Desk } from './kit.js';

portalStories('“Go to” in the portal', (story) => {
  let desk: Desk;
  /** Works in two applications, the first of which is empty. */
  let administrator: SeededUser;
  beforeAll(async () => {
    const { foundation } = story.app.application;
    const { id } = story.app.organization.organization;
    desk = await openDesk(story.app);
    await createApplication(foundation, operatorOf(id), { foreignId: 'empty', name: 'Empty' });
    const bucket = { common: PERMISSIONS.common, administrator: PERMISSIONS.administrator };
    administrator = await seedMember(
      foundation,
      id,
      { applications: ['empty', 'payments'].map((foreignId) => ({ foreignId, ...bucket })) },
      'Adam Administrator',
    );
  });

  it('opens the page of an object in its application by id, and reports an unknown id', async () => {
    const opened = await desk.openCase('A case elsewhere');
    const pending = await desk.ask('A request elsewhere');
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(administrator);
    await page.getByRole('heading', { level: 1, name: 'To do' }).waitFor();
    const goTo = async (id: string) => {
      await page.keyboard.press('Control+k');
      await page.getByLabel('Name of a place, or an id').fill(id);
      await page.keyboard.press('Enter');
    };
    await goTo(opened);
    await page.getByRole('heading', { level: 1, name: 'A case elsewhere' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/portal/a/payments/cases/${opened}`);
    await goTo(pending);
    await page.getByRole('heading', { level: 1, name: 'A request elsewhere' }).waitFor();

    await goTo(`cas_${'0'.repeat(opened.length - 4)}`);
    await page.getByRole('alert').getByText('No place has this name or id.').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });
});
