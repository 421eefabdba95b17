import { beforeAll, expect, it } from '@jest/globals';
import { GATEWAY, PERMISSIONS } from '../../../src/domain/access/index.js';
import { recordActivity } from '../../../src/domain/activity-log/index.js';
import { sql } from '../../../src/platform/database/index.js';
import { portalStories, within, type Answered } from '../../kit/browser/portal.js';
import { seedMember, type SeededUser } from '../../kit/seed.js';
import { openDesk, type Desk } from '../kit.js';

const PLACE = '/organization/retention';

portalStories('retention settings in the portal', (story) => {
  let desk: Desk;
  let second: SeededUser;
  const owner = (name: string, owner: readonly string[]) =>
    seedMember(
      story.app.application.foundation,
      story.app.organization.organization.id,
      { owner: [...owner] },
      name,
    );
  const requireTwo = (isRequired: boolean) =>
    story.app.database.rows(sql`update organizations set require_second_person = ${isRequired}`);
  beforeAll(async () => {
    desk = await openDesk(story.app);
    second = await owner('Zoe Zweite', PERMISSIONS.owner);
  });

  it('are changed by an owner after a preview of what is deleted, and when', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, PLACE);
    const row = page
      .getByRole('table', { name: 'How long it is kept' })
      .getByRole('row', { name: /^Files of/ });
    await row.getByText('10 years by default').waitFor();
    await page.getByText('Nothing was changed or deleted yet.').waitFor();
    await row.getByRole('button', { name: /^Change…/ }).click();
    const dialog = page.getByRole('alertdialog', {
      name: 'This changes a retention: Files of reports.',
    });
    expect(await page.locator(':focus').textContent()).toBe('Cancel');
    // An unchanged or invalid value cannot be sent.
    const years = dialog.getByLabel('Years');
    expect(await dialog.getByRole('button', { name: 'Change the retention' }).isDisabled()).toBe(true);
    await years.fill('4');
    expect(await dialog.getByRole('button', { name: 'Change the retention' }).isDisabled()).toBe(true);
    await years.fill('12');
    await dialog.getByRole('status').getByText('The data is now kept longer.').waitFor();
    await years.fill('6');
    await dialog
      .getByRole('status')
      .getByText('What is older than 6 years is deleted by the next sweep')
      .waitFor();
    await dialog.getByLabel('Reason').fill('The tax law of 2027');
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await dialog.getByRole('button', { name: 'Shorten the retention' }).click();
    await row.getByText('6 years', { exact: true }).waitFor();
    const changes = page.getByRole('table', { name: 'What was changed and deleted' });
    const change = changes.getByRole('row').filter({ hasText: 'Files of reports: 6 instead of 10 years' });
    await change.getByText('The tax law of 2027').waitFor();
    await change.getByText('Olga Owner').waitFor();
    await change.getByRole('button', { name: /^Entry \d+: Checked here$/ }).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('show what a sweep deleted, while the page is open', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, PLACE);
    await page.getByText('Files of reports: 6 instead of 10 years').waitFor();
    await story.app.database.transaction((transaction) =>
      recordActivity(transaction, {
        organizationId: story.app.organization.organization.id,
        eventType: 'retention.applied',
        actor: GATEWAY,
        object: { kind: 'disclosure_results', table: 'disclosures' },
        details: { count: 3, before: '2016-11-23T00:00:00.000Z', complete: true },
        at: new Date(),
      }),
    );
    const deleted = page.getByRole('row').filter({ hasText: 'Gateway' });
    await deleted.getByText('deleted 3 rows from before 23 Nov 2016 UTC: Results of disclosures').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('show a legal hold that stops deletion until two owners release it', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, PLACE);
    await page.getByText('No legal hold is in force.').waitFor();
    await page.getByRole('button', { name: 'Place a legal hold…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Place a legal hold' });
    await dialog.getByLabel('Reason').fill('Inspection by the regulator');
    await dialog.getByLabel(/^Until/).fill('2020-01-31');
    await dialog.getByRole('button', { name: 'Place the hold' }).click();
    await dialog.getByText('Must be in the future').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await dialog.getByLabel(/^Until/).fill('2090-01-31');
    for (const kind of await dialog.getByRole('checkbox').all()) await kind.uncheck();
    await dialog.getByRole('button', { name: 'Place the hold' }).click();
    await dialog.getByRole('alert').getByText('must name a kind').waitFor();
    await dialog.getByLabel('Files of reports').check();
    await dialog.getByLabel('Results of disclosures').check();
    await dialog.getByRole('button', { name: 'Place the hold' }).click();
    const holds = page.getByRole('table', { name: 'Legal holds in force' });
    const hold = holds.getByRole('row', { name: /^Inspection by the regulator/ });
    await hold.getByText('Files of reports and Results of disclosures').waitFor();
    await hold.getByText('31 Jan 2090').waitFor();
    await hold.getByText('Olga Owner').waitFor();
    expect(await page.getByText('held: nothing is deleted').count()).toBe(2);
    expect(await visitor.accessibilityProblems()).toEqual([]);

    await requireTwo(true);
    const release = async (who: SeededUser) => {
      const at = await story.visit();
      await at.enter(who, PLACE);
      await at.page.getByRole('button', { name: 'Release… Inspection by the regulator' }).click();
      const asked = at.page.getByRole('alertdialog', { name: 'This releases the legal hold.' });
      await asked.getByText('Nothing can restore it.').waitFor();
      await asked.getByText('another owner must make the same request within 72 hours').waitFor();
      await asked.getByLabel('Reason').fill('The inspection has ended');
      await asked.getByRole('button', { name: 'Release the hold' }).click();
      return at;
    };
    const first = await release(desk.everything);
    await first.page.getByRole('alert').getByText('Proposed.').waitFor();
    expect(await first.accessibilityProblems()).toEqual([]);
    // A proposal shows who proposed it. The reader sees only the names that they may read.
    const reader = await story.visit();
    const sent: string[] = [];
    reader.page.on('request', (request) => sent.push(request.postData() ?? ''));
    await reader.enter(await owner('Rita Rules', ['policies:manage']), '/organization/settings');
    const proposal = reader.page.getByRole('row', { name: /^Release a legal hold/ });
    await proposal.getByText(/^Inspection by the regulator hld_/).waitFor();
    await proposal.getByText('Olga Owner').waitFor();
    expect(sent.filter((body) => body.includes('MemberNames'))).toEqual([]);
    expect(sent.some((body) => body.includes('LegalHoldNames'))).toBe(true);
    expect(await reader.accessibilityProblems()).toEqual([]);

    const agreeing = await release(second);
    const ended = agreeing.page.getByRole('table', { name: 'Ended legal holds' });
    await ended.getByText('released by Zoe Zweite, “The inspection has ended”').waitFor();
    await agreeing.page.getByText('No legal hold is in force.').waitFor();
    expect(await agreeing.accessibilityProblems()).toEqual([]);
    // The open page shows it without a reload.
    await page.getByText('No legal hold is in force.').waitFor();
    await requireTwo(false);
  });

  it('are red if the gateway returns a different number of years from the log', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.betray((operation, data, sent) => {
      if (operation !== 'Log' || within(sent)['eventType'] !== 'retention.changed') return;
      for (const entry of within(data, 'activityLog', 'nodes') as unknown as Answered[])
        Object.assign(within(entry, 'details'), { years: 30 });
    });
    await visitor.enter(desk.everything, PLACE);
    const change = page.getByRole('row').filter({ hasText: 'Files of reports: 30 instead of 10 years' });
    await change.getByRole('button', { name: /^Entry \d+: Does not hold$/ }).waitFor();
  });

  it('are shown without the log to readers without access to it, and to no one without the permission', async () => {
    const visitor = await story.visit({ locale: 'fr-FR', viewport: { width: 320, height: 640 } });
    const { page } = visitor;
    await visitor.enter(await owner('Paul Policy', ['policies:manage']), PLACE);
    await page.getByText('Vous n’êtes pas autorisé à le lire.').waitFor();
    expect(await page.getByText('Ce qui a été changé et supprimé').count()).toBe(0);
    await page.getByRole('button', { name: 'Poser un gel juridique…' }).click();
    await page.getByRole('dialog', { name: 'Poser un gel juridique' }).waitFor();
    expect(
      await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth'),
    ).toBe(false);
    expect(await visitor.accessibilityProblems()).toEqual([]);

    const other = await story.visit();
    await other.enter(await owner('Mia Members', ['members:manage']), PLACE);
    await other.page.getByRole('heading', { name: 'No permission' }).waitFor();
    expect(await other.page.getByRole('link', { name: 'Retention' }).count()).toBe(0);
    expect(await other.accessibilityProblems()).toEqual([]);
  });
});
