import { beforeAll, expect, it } from '@jest/globals';
import { operatorOf, PERMISSIONS } from '../../src/domain/access/index.js';
import { createApplication } from '../../src/domain/organizations/index.js';
import { bearer, graphql, sessionOf } from '../kit/app.js';
import { randomAddress } from '../kit/confidential-records.js';
import { portalStories, within } from '../kit/portal.js';
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
    const { common, administrator: decides, auditor } = PERMISSIONS;
    const bucket = { common, administrator: decides, auditor };
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

    const made = await graphql(
      story.app,
      'mutation ($input: GenerateCaseReportInput!) { generateCaseReport(input: $input) { id } }',
      {
        headers: sessionOf(story.app, desk.auditor.sessionToken),
        variables: {
          input: {
            ...{ foreignId: 'payments', caseId: opened, reportType: 'transaction_detail' },
            ...{ format: 'csv', wait: true },
          },
        },
      },
    );
    await goTo(within(made.data, 'generateCaseReport')['id'] as string);
    await page.getByRole('heading', { level: 1, name: 'Reports' }).waitFor();
    await page.getByRole('list', { name: 'Reports, newest first' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/portal/a/payments/reports');

    const checked = await graphql(
      story.app,
      'mutation ($input: CheckAddressInput!) { checkAddress(input: $input) { checkId } }',
      {
        headers: bearer(story.app.organization.apiKey.secret),
        variables: {
          input: {
            checkApplicationId: story.app.organization.application.checkApplicationId,
            ...{ address: randomAddress(), network: 'solana' },
          },
        },
      },
    );
    await goTo(within(checked.data, 'checkAddress')['checkId'] as string);
    await page.getByRole('button', { name: /^Recorded check: / }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/\/addresses$/);

    for (const entry of [`log_${'0'.repeat(26)}`, '#12']) {
      await page.getByRole('link', { name: 'To do' }).click();
      await page.getByRole('heading', { level: 1, name: 'To do' }).waitFor();
      await goTo(entry);
      await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor();
    }

    await goTo(`cas_${'0'.repeat(opened.length - 4)}`);
    await page.getByRole('alert').getByText('No place has this name or id.').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });
});
