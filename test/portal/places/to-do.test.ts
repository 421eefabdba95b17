import { beforeAll, expect, it } from '@jest/globals';
import { operatorOf, PERMISSIONS } from '../../../src/domain/access/index.js';
import { createApplication } from '../../../src/domain/organizations/index.js';
import { portalStories, within } from '../../kit/browser/portal.js';
import { seedMember, type SeededUser } from '../../kit/seed.js';
import { openDesk, type Desk } from '../kit.js';

const APPLICATIONS = 40;
/** More than a page of disclosures, and more than a card shows. */
const MANY = 52;
/** What “To do” and the frame around it ask of an owner who may do everything. */
const MAX_QUESTIONS = 30;

portalStories('“To do” of a member of many applications', (story) => {
  let desk: Desk;
  let member: SeededUser;
  beforeAll(async () => {
    const { foundation } = story.app.application;
    const { id } = story.app.organization.organization;
    desk = await openDesk(story.app);
    const others = Array.from({ length: APPLICATIONS }, (_, index) => `shop-${index}`);
    for (const foreignId of others)
      await createApplication(foundation, operatorOf(id), { foreignId, name: `Shop ${foreignId}` });
    const { common, administrator, auditor } = PERMISSIONS;
    const applications = ['payments', ...others].map((foreignId) => ({
      ...{ foreignId, common, administrator, auditor },
    }));
    member = await seedMember(foundation, id, { owner: PERMISSIONS.owner, applications }, 'Mona Many');
  });

  it('does not lead to an empty list', async () => {
    const visitor = await story.visit();
    await visitor.enter(desk.auditor);
    await visitor.page.getByText('No case ends within 48 hours.').waitFor();
    expect(await visitor.page.getByText(/open case/).count()).toBe(0);
  });

  it('shows the state of the log to everyone who reads a log, and leads to it', async () => {
    const { application, organization } = story.app;
    const viewer = await seedMember(
      application.foundation,
      organization.organization.id,
      { applications: [{ foreignId: 'payments', auditor: ['reports:view_transactions'] }] },
      'Vera Viewer',
    );
    for (const [who, place] of [
      [desk.administrator, 'Activity'],
      [viewer, 'Cases'],
    ] as const) {
      const visitor = await story.visit();
      const { page } = visitor;
      await visitor.enter(who);
      await page.getByRole('button', { name: 'Activity log: Checked here' }).waitFor();
      expect(await visitor.accessibilityProblems()).toEqual([]);
      const card = page.locator('section', { has: page.getByRole('heading', { name: 'The activity log' }) });
      await card.getByRole('link', { name: place }).click();
      await page.getByRole('heading', { level: 1, name: place }).waitFor();
    }
  });

  it('is not blank for a member for whom nothing ever waits here', async () => {
    const { application, organization } = story.app;
    const reader = await seedMember(
      application.foundation,
      organization.organization.id,
      { owner: ['applications:read'] },
      'Rita Reader',
    );
    const visitor = await story.visit();
    await visitor.enter(reader);
    await visitor.page.getByText('Nothing waits for you.').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('asks as much as that of a member of one, and names the application of each request', async () => {
    await desk.ask('Waits for anyone');
    await desk.openCase('Runs for long');
    const visitor = await story.visit();
    const { page } = visitor;
    const questions = new Set<string>();
    page.on('request', (request) => {
      if (request.url().endsWith('/graphql')) questions.add(request.postData() ?? '');
    });
    await visitor.enter(member);
    const waiting = page.locator('section', {
      has: page.getByRole('heading', { name: 'Requests to decide' }),
    });
    await waiting.getByRole('link', { name: 'Waits for anyone' }).waitFor();
    await waiting.getByText(/payments · Ana Auditor/).waitFor();
    await waiting.getByText(/^waits for (\d+|< 1) min · .* UTC$/).waitFor();
    await page.getByText('None of your requests waits for a decision.').waitFor();
    await page.getByText('1 open case:', { exact: true }).waitFor();
    expect(questions.size).toBeLessThanOrEqual(MAX_QUESTIONS);
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('says how many there are in all with the first read, which shows only the oldest of them', async () => {
    for (let count = 0; count < MANY; count += 1) {
      await desk.ask(`Waits in the queue ${count}`);
      await desk.askDisclosure(`Waits in the other queue ${count}`);
    }
    const counted = await desk.asOwner(
      `{ disclosureRegistry(status: pending, first: 1) { totalCount }
        disclosures(status: pending, first: 1) { totalCount } }`,
      {},
    );
    const countOf = (list: string) => Number(within(counted, list)['totalCount']);
    const [requests, disclosures] = [countOf('disclosureRegistry'), countOf('disclosures')];
    for (const [locale, all, names] of [
      ['en-GB', 'All', ['Requests to decide', 'Disclosures to decide', 'Your pending requests']],
      ['fr-FR', 'Voir les', ['Demandes à traiter', 'Divulgations à traiter', 'Vos demandes en attente']],
    ] as const) {
      const visitor = await story.visit({ locale });
      const { page } = visitor;
      const more: unknown[] = [];
      await visitor.betray((operation, data, { after = null }) => {
        if (after !== null) more.push([operation, after]);
        // The counts of the navigation are another read.
        if (operation === 'PendingWork') data['pendingWork'] = [];
      });
      const says = async (card: string, count: number) => {
        const section = page.locator('section', { has: page.getByRole('heading', { name: card }) });
        await section.getByRole('link', { name: `${all} ${count}`, exact: true }).waitFor();
        expect(await section.getByRole('listitem').count()).toBe(20);
      };
      await visitor.enter(desk.administrator);
      await says(names[0], requests);
      await says(names[1], disclosures);
      await visitor.enter(desk.auditor);
      await says(names[2], requests);
      expect(more).toEqual([]);
    }
  });
});
