import { beforeAll, expect, it } from '@jest/globals';
import { bearer, graphql } from '../../kit/app.js';
import { portalStories, within, type Answered } from '../../kit/browser/portal.js';
import { seedMember, type SeededUser } from '../../kit/seed.js';

portalStories('a case in the portal', (story) => {
  let auditor: SeededUser;
  let administrator: SeededUser;
  beforeAll(async () => {
    const { application, organization } = story.app;
    const member = (bucket: object, name: string) =>
      seedMember(
        application.foundation,
        organization.organization.id,
        { applications: [{ foreignId: 'payments', ...bucket }] },
        name,
      );
    auditor = await member(
      {
        auditor: [
          'cases:create',
          'cases:withdraw_pending_request',
          'reports:view_transactions',
          'reports:create',
          'reports:list',
          'reports:download',
        ],
      },
      'Ana Auditor',
    );
    administrator = await member(
      { administrator: ['cases:approve_creation', 'cases:list'] },
      'Ada Administrator',
    );
    const { errors } = await graphql(
      story.app,
      'mutation ($input: CreateAssetInput!) { createAsset(input: $input) { id } }',
      {
        variables: { input: { name: 'Test Dollar', symbol: 'TUSD', decimals: 2, workspaceId: 'payments' } },
        headers: bearer(organization.apiKey.secret),
      },
    );
    expect(errors).toBeUndefined();
  });

  it('is requested, approved after its scope was shown, read, and reported on with a verifiable file', async () => {
    const [asks, decides] = [await story.visit(), await story.visit()];
    await asks.signIn(auditor);
    await asks.open('/a/payments/requests/new');
    await asks.page.getByRole('textbox', { name: 'Why do you need it?' }).fill('Quarterly review');
    await asks.page.getByRole('checkbox', { name: 'withdrawal details' }).check();
    const hidden = 'full transaction ids and sender information';
    await asks.page.getByText(hidden, { exact: true }).waitFor();
    expect(await asks.accessibilityProblems()).toEqual([]);
    await asks.page.getByRole('button', { name: 'File the request' }).click();
    await asks.page.getByRole('heading', { level: 1, name: 'Quarterly review' }).waitFor();

    await decides.signIn(administrator);
    await decides.open('/a/payments/requests');
    await decides.page.getByRole('link', { name: 'Quarterly review' }).click();
    await decides.page.getByRole('button', { name: 'Approve…' }).click();
    const dialog = decides.page.getByRole('alertdialog');
    await dialog.getByText(hidden, { exact: true }).waitFor();
    expect(await dialog.locator('button:focus').textContent()).toBe('Cancel');
    expect(await decides.accessibilityProblems()).toEqual([]);
    await dialog.getByRole('button', { name: 'Open the case for 1 auditor' }).click();
    await decides.page.getByText('No request is pending.').waitFor();

    // The request that the auditor views shows it without a reload.
    await asks.page.getByRole('link', { name: 'Open the case' }).click();
    await asks.page.getByText('none', { exact: true }).waitFor();
    expect(await asks.accessibilityProblems()).toEqual([]);
    await asks.page.getByRole('link', { name: 'Reports' }).last().click();
    await asks.page.getByRole('button', { name: 'Create a report…' }).click();
    const scope = asks.page.getByRole('dialog').getByRole('definition');
    expect(await scope.allTextContents()).toEqual(expect.arrayContaining(['Test Dollar', hidden]));
    await asks.page.getByRole('button', { name: 'Create the report' }).click();
    await asks.page.getByText('The report is finished.').waitFor();
    const [download] = await Promise.all([
      asks.page.waitForEvent('download'),
      asks.page.getByRole('link', { name: 'Download' }).click(),
    ]);
    const file = await download.path();
    await asks.page.getByRole('button', { name: 'Check a file' }).click();
    await asks.page.getByRole('dialog').locator('.drop input').setInputFiles(file);
    await asks.page.getByText('The file has the hash in the log entry.').waitFor();
    // The list was read before the report had its place in the log.
    await asks.page.getByText(/entry \d+ of the log/).waitFor();

    // Its retention ends in some years.
    await asks.betray((operation, data) => {
      if (operation !== 'Reports') return;
      const [report] = within(data, 'reports', 'nodes') as unknown as Answered[];
      Object.assign(within(report, 'metadata'), { sizeBytes: null, fileDeleted: true });
    });
    await asks.page.reload();
    await asks.page.getByText('deleted', { exact: true }).waitFor();
    expect(await asks.page.getByRole('link', { name: 'Download' }).count()).toBe(0);
  });

  it('is refused by URL to a member without permissions in its application', async () => {
    const visitor = await story.visit();
    await visitor.signIn(story.app.organization.owner);
    await visitor.open('/a/payments/cases');
    await visitor.page.getByRole('heading', { level: 2, name: 'No permission' }).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });
});
