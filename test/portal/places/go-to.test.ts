import { beforeAll, expect, it } from '@jest/globals';
import { operatorOf, PERMISSIONS } from '../../../src/domain/access/index.js';
import { createApplication } from '../../../src/domain/organizations/index.js';
import { sql } from '../../../src/platform/database/index.js';
import { bearer, graphql, sessionOf } from '../../kit/app.js';
import { randomAddress } from '../../kit/ledger/confidential-records.js';
import { portalStories, within } from '../../kit/browser/portal.js';
import { seedMember, type SeededUser } from '../../kit/seed.js';
import { openDesk, type Desk } from '../kit.js';

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
    // Many newer ones do not hide it.
    const reportId = within(made.data, 'generateCaseReport')['id'] as string;
    await story.app.database.rows(sql`
      insert into reports (id, organization_id, application_id, case_id, report_type, format, record_count, generated_by,
        generated_at, log_entry_id, content_id, sealed_digest, digest_salt, sha256)
      select 'rpt_' || lpad(n::text, 26, '0'), organization_id, application_id, case_id, 'activity_log', format, n,
        generated_by, generated_at, log_entry_id, content_id, sealed_digest, digest_salt, sha256
      from reports, generate_series(1, 250) as n where id = ${reportId}`);
    await goTo(reportId);
    await page.getByRole('heading', { level: 1, name: 'Reports' }).waitFor();
    const reports = page.getByRole('list', { name: 'Reports, newest first' }).getByRole('listitem');
    await reports.getByText('Every transaction, CSV').waitFor();
    expect(await reports.count()).toBe(1);
    const { pathname, search } = new URL(page.url());
    expect(pathname + search).toBe(`/portal/a/payments/reports?report=${reportId}`);
    expect(await visitor.accessibilityProblems()).toEqual([]);
    // It leads to its entry of the log, and the entry back to it.
    await page.getByRole('link', { name: /^entry \d+ of the log$/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor();
    await page.getByText('Only one entry of the log is shown.').waitFor();
    await page.getByRole('listitem').getByText('Records', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'the report' }).click();
    await reports.getByText('Every transaction, CSV').waitFor();
    await page.getByRole('link', { name: 'Show the other reports' }).click();
    await reports.nth(49).waitFor();

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

    const [entry] = await story.app.database.rows(sql<{ id: string; index: number }>`
      select activity_entries.id, log_index as index from activity_entries
      join applications on applications.id = application_id
      where foreign_id = 'payments' and log_index is not null order by log_index limit 1`);
    for (const asked of [entry!.id, `#${entry!.index}`]) {
      await page.getByRole('link', { name: 'To do' }).click();
      await page.getByRole('heading', { level: 1, name: 'To do' }).waitFor();
      await goTo(asked);
      await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor();
      await page.getByText('Only one entry of the log is shown.').waitFor();
      expect(await page.locator('details[open] pre').innerText()).toContain(entry!.id);
      await page.getByRole('button', { name: /^Entry \d+: Checked here$/ }).waitFor();
      expect(await visitor.accessibilityProblems()).toEqual([]);
    }
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('Only one entry of the log is shown.').waitFor({ state: 'detached' });

    for (const unknown of ['cas', 'crq', 'rpt', 'log'].map((kind) => `${kind}_${'0'.repeat(26)}`)) {
      await goTo(unknown);
      await page.getByText('No place has this name or id.').waitFor();
      // It can be corrected at once.
      await page.locator('input[name=wanted][aria-invalid]:focus').waitFor();
      await page.keyboard.press('Escape');
    }
    // In the log of the organization, which this person may not read.
    await goTo('#0');
    await page.getByText('No place has this name or id.').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('asks one question, however many applications there are', async () => {
    const opened = await desk.openCase('Found at once');
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(administrator);
    await page.getByRole('heading', { level: 1, name: 'To do' }).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => {
      const [, operation] = /query (\w+Place)\b/.exec(request.postData() ?? '') ?? [];
      if (operation !== undefined) asked.push(operation);
    });
    await page.keyboard.press('Control+k');
    await page.getByLabel('Name of a place, or an id').fill(opened);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Found at once' }).waitFor();
    expect(asked).toEqual(['CasePlace']);
  });
});
