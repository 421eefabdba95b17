import { beforeAll, expect, it } from '@jest/globals';
import { sql } from '../../../src/platform/database/index.js';
import { PERMISSIONS } from '../../../src/domain/access/index.js';
import { seedMember, seedOrganization } from '../../kit/seed.js';
import { randomAddress } from '../../kit/ledger/confidential-records.js';
import { loaded, portalStories, problemsInEveryLook, type Visitor } from '../../kit/browser/portal.js';
import { askedBy, openDesk, type Desk } from '../kit.js';

portalStories('two concurrent browsers', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
  });

  it('show the second administrator that the first one decided, while the dialog is open', async () => {
    const id = await desk.ask('Decided twice');
    const [first, second] = [await story.visit(), await story.visit()];
    for (const [visitor, who] of [
      [first, desk.administrator],
      [second, desk.everything],
    ] as const) {
      await visitor.enter(who, `/a/payments/requests/${id}`);
      await visitor.page.getByRole('button', { name: 'Approve…' }).click();
      await visitor.page.getByRole('alertdialog').waitFor();
    }
    await first.page.getByRole('button', { name: 'Open the case for 1 auditor' }).click();
    await first.page.getByText('No request is pending.').waitFor();
    await second.page.getByText('Decided by Ada Administrator').waitFor();
    expect(await second.page.getByRole('alertdialog').count()).toBe(0);
    expect(await second.page.getByRole('button', { name: 'Approve…' }).count()).toBe(0);
    expect(await second.accessibilityProblems()).toEqual([]);
  });

  it('let a second administrator find a proposal of the first, and confirm it', async () => {
    const { database } = story.app;
    const { id: organizationId } = story.app.organization.organization;
    const requireSecondPerson = (isRequired: boolean) =>
      database.transaction((transaction) =>
        transaction.rows(sql`
          update organizations set require_second_person = ${isRequired} where id = ${organizationId}`),
      );
    const second = await seedMember(
      story.app.application.foundation,
      organizationId,
      { applications: [{ foreignId: 'payments', administrator: ['addresses:manage'] }] },
      'Alan Also',
    );
    const address = randomAddress();
    await requireSecondPerson(true);
    const approve = async ({ page }: Visitor) => {
      await page.getByRole('button', { name: 'Approve an address…' }).click();
      await page.getByRole('dialog').getByLabel('Address', { exact: true }).fill(address);
      await page.getByLabel('Reason').fill('A customer');
      await page.getByRole('button', { name: 'Approve the address' }).click();
    };
    const [ada, alan] = [await story.visit(), await story.visit()];
    await ada.enter(desk.administrator, '/a/payments/addresses');
    await approve(ada);
    await ada.page.getByText('another person').first().waitFor();
    await alan.enter(second, '/');
    const proposed = alan.page.getByRole('table', { name: 'What was proposed' });
    await proposed.getByText(address).first().waitFor();
    await proposed.getByRole('term').getByText('Address', { exact: true }).waitFor();
    await proposed.getByText('Ada Administrator').waitFor();
    expect(await alan.accessibilityProblems()).toEqual([]);
    await proposed.getByRole('link').first().click();
    await approve(alan);
    await alan.page.getByRole('dialog').waitFor({ state: 'detached' });
    await alan.page.getByRole('listitem').filter({ hasText: address }).getByText('approved').waitFor();
    await requireSecondPerson(false);
  });

  it('show the second owner that the first one rotated the auditor key, while the dialog is open', async () => {
    const owner = await seedMember(
      story.app.application.foundation,
      story.app.organization.organization.id,
      { owner: PERMISSIONS.owner },
      'Rosa Rotates',
    );
    const [first, second] = [await story.visit(), await story.visit()];
    for (const [visitor, who] of [
      [first, desk.everything],
      [second, owner],
    ] as const) {
      await visitor.enter(who, '/organization/assets');
      await visitor.page.getByRole('button', { name: 'Rotate the auditor key…' }).click();
      await visitor.page.getByLabel('Reason').fill('The yearly rotation');
    }
    const decide = ({ page }: typeof first) =>
      page.getByRole('alertdialog').getByRole('button', { name: 'Rotate the auditor key' }).click();
    await decide(first);
    await first.page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await decide(second);
    await second.page.getByRole('alert').getByText('The auditor key was rotated in the meantime.').waitFor();
    // The content below the dialog is read again: there are two keys, not three.
    await second.page.keyboard.press('Escape');
    const keys = second.page.getByRole('table', { name: 'Auditor keys' }).getByRole('row');
    await keys.filter({ hasText: 'earlier' }).waitFor();
    expect(await keys.count()).toBe(3);
    expect(await second.accessibilityProblems()).toEqual([]);
  });

  it('say when the window of a case ends, and remove its transactions then, also after the machine slept', async () => {
    const id = await desk.openCase('Ends soon');
    const visitor = await story.visit();
    const { foundation } = story.app.application;
    /** As if the case had been opened a while ago. */
    const endsIn = (minutes: number) =>
      foundation.database.transaction((transaction) =>
        transaction.rows(sql`
          update cases set expires_at = now() + make_interval(mins => ${minutes}) where id = ${id}`),
      );
    await endsIn(61);
    const { page } = visitor;
    await page.clock.install();
    await visitor.enter(desk.auditor, `/a/payments/cases/${id}`);
    const amount = page.getByText('0.001250').first();
    const ended = async () => {
      await page.getByRole('heading', { name: 'Access has ended' }).waitFor();
      await page.getByText('Access to this case has ended.').waitFor();
      expect([await amount.count(), await page.getByRole('grid').count()]).toEqual([0, 0]);
      expect(await page.locator(':focus').textContent()).toBe('Access has ended');
    };
    let looks = 0;
    page.on('response', (response) => {
      if (response.request().postData()?.includes('query Case(')) looks += 1;
    });
    /** When the clocks of the page stand still: from then on only the story advances them. */
    const pause = async () => {
      await amount.waitFor();
      // The page looks again once it follows the case. Afterwards, no answer says how much time is left.
      while (looks < 2) await page.waitForTimeout(50);
      looks = 0;
      const at = Number(await page.evaluate('Date.now()')) + 10_000;
      await page.clock.pauseAt(at);
      return at;
    };
    const left = page.locator('time.badge');
    const says = async (minutes: number, sentence: RegExp) => {
      await page.clock.fastForward(minutes * 60_000);
      await page.getByRole('status').filter({ hasText: sentence }).waitFor();
      expect(await left.getAttribute('class')).toContain('bad');
    };
    await pause();
    expect(await left.getAttribute('class')).toContain('warn');
    await says(2, /^Access to this case ends in 58 min \d+ s\.$/);
    // An hour without input would end the session first.
    await endsIn(11);
    await page.clock.resume();
    await page.reload();
    await pause();
    await says(2, /ends in 8 min/);
    await says(8, /ends in 0 min/);
    await page.clock.fastForward(60_000);
    await ended();
    // A machine sleeps: its steady clock and its timers stand still, and the page looks at the time when it wakes.
    await page.clock.resume();
    await page.reload();
    await page.clock.setSystemTime((await pause()) + 2 * 3_600_000);
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
    await ended();
    await page.clock.resume();
    expect(await problemsInEveryLook(visitor)).toEqual([]);
  });

  it('end the session of a page that nobody uses, whatever others change, and update it for who returns in time', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await page.clock.install();
    let events = 0;
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => {
        if (String(payload).includes('"pendingWorkChanged"')) events += 1;
      }),
    );
    /** So many minutes pass without input, and then somebody else asks for a case. */
    const askAfter = async (minutes: number, reason: string) => {
      await page.clock.fastForward(minutes * 60_000);
      const before = events;
      await desk.ask(reason);
      while (events === before) await page.waitForTimeout(50);
    };
    const asked = askedBy(page);
    const questions = () => asked.filter((url) => url.startsWith('http')).length;
    await visitor.enter(desk.administrator, '/a/payments/requests');
    await loaded(page);
    // Under the pointer no row would move.
    await page.mouse.move(9, 9);
    await askAfter(0, 'Asked while somebody is there');
    await page.getByRole('link', { name: 'Asked while somebody is there' }).waitFor();
    await askAfter(6, 'Asked while nobody is there');
    const before = questions();
    await askAfter(6, 'Asked while still nobody is there');
    expect([questions(), await page.getByRole('link', { name: /nobody/ }).count()]).toEqual([before, 0]);
    await page.mouse.move(9, 9);
    await page.getByRole('link', { name: 'Asked while still nobody is there' }).waitFor();
    for (let passed = 0; passed < 4; passed += 1) await askAfter(6, 'Asked of an empty room');
    await page.clock.fastForward(7 * 60_000);
    await page.getByText('Your session has ended.').waitFor();
    expect(await page.getByText('Asked').count()).toBe(0);
  });

  it('react to a removed permission: the page shows an error, and disappears from the navigation', async () => {
    const { application, organization } = story.app;
    const member = await seedMember(
      application.foundation,
      organization.organization.id,
      { applications: [{ foreignId: 'payments', auditor: PERMISSIONS.auditor, common: PERMISSIONS.common }] },
      'Leo Leaver',
    );
    const visitor = await story.visit();
    await visitor.enter(member, '/a/payments/log');
    await visitor.page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor();
    await desk.permit(member, [], [{ foreignId: 'payments', common: [...PERMISSIONS.common] }]);
    // The next request detects it, unless the page was notified before and no longer has the link.
    await visitor.page.evaluate(`document.querySelector('a[href$="/payments/requests"]')?.click()`);
    await visitor.page.getByText('Your permissions were changed.').waitFor();
    if (!visitor.page.url().endsWith('/requests')) await visitor.open('/a/payments/requests');
    await visitor.page.getByRole('heading', { name: 'No permission' }).waitFor();
    expect(await visitor.page.getByRole('link', { name: 'Case requests' }).count()).toBe(0);
    expect(await problemsInEveryLook(visitor)).toEqual([]);
  });

  it('follow again what the gateway ended because of something that the page does not show', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    const frames: string[] = [];
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => void frames.push(String(payload))),
    );
    const received = (text: string) => frames.filter((frame) => frame.includes(text)).length;
    await visitor.enter(desk.administrator, '/a/payments/requests');
    await loaded(page);
    await page.mouse.move(9, 9);
    // Something that was not followed yet would not be ended.
    for (let asked = 1; received('"caseRequestChanged"') === 0; asked += 1) {
      await desk.ask(`Filed until it is followed, ${asked}`);
      await page.waitForTimeout(500);
    }
    const { foundation } = story.app.application;
    await foundation.database.rows(sql`update sessions set created_at = created_at - interval '1 minute'`);
    // The next event detects it.
    await desk.ask('Filed while nothing is followed');
    while (received('"UNAUTHENTICATED"') < 2) await page.waitForTimeout(20);
    await page.getByRole('link', { name: 'Filed while nothing is followed' }).waitFor();
    const before = received('"caseRequestChanged"');
    await desk.ask('Filed afterwards');
    await page.getByRole('link', { name: 'Filed afterwards' }).waitFor();
    expect(received('"caseRequestChanged"')).toBe(before + 1);
  });

  it('follow the log again after a change of permissions that leaves it open', async () => {
    const { application, organization } = story.app;
    const member = await seedMember(
      application.foundation,
      organization.organization.id,
      { applications: [{ foreignId: 'payments', auditor: PERMISSIONS.auditor, common: PERMISSIONS.common }] },
      'Lou Less',
    );
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(member, '/a/payments/log');
    await page
      .getByRole('button', { name: /^Entry \d+: Checked here$/ })
      .first()
      .waitFor();
    await desk.permit(member, [], [{ foreignId: 'payments', common: [...PERMISSIONS.common] }]);
    // The next event detects it.
    const request = await desk.ask('Filed before the page knows');
    await page.getByText('Your permissions were changed.').waitFor();
    await page.getByText('Ana Auditor requested a case').first().waitFor();
    await desk.approve(request);
    await page.getByText('Ada Administrator approved a case request').first().waitFor();
  });

  it.each([
    ['/organization/relays', 'Relays'],
    ['/organization/people', 'People'],
    ['/organization/reports', 'All reports'],
  ])(
    'refuse %s to an owner who lost the permission for it, on the page that is open',
    async (place, name) => {
      const { application, organization } = story.app;
      const member = await seedMember(
        application.foundation,
        organization.organization.id,
        { owner: PERMISSIONS.owner },
        'Lea Loses',
      );
      const visitor = await story.visit();
      const { page } = visitor;
      await visitor.enter(member, place);
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await desk.permit(member, ['applications:read']);
      // The next request detects it, unless the page was notified before.
      const link = `document.querySelector('a[href$="/organization/keys"]')`;
      const isFollowed = await page.evaluate(`Boolean(${link} && [${link}.click()])`);
      await page.getByText('Your permissions were changed.').waitFor();
      expect(await page.getByRole('navigation').getByRole('link', { name, exact: true }).count()).toBe(0);
      // Back leads to the place only from the target of the link.
      if (isFollowed) {
        await page.waitForURL('**/organization/keys');
        await page.evaluate(`history.back()`);
        await page.waitForURL(`**${place}`);
      }
      await page.getByRole('heading', { name: 'No permission' }).waitFor();
      expect(await visitor.accessibilityProblems()).toEqual([]);
    },
  );

  it('clear data if a member of another organization signs in in another tab, by an identity provider', async () => {
    const { application, url } = story.app;
    const stranger = await seedOrganization(application.foundation, { name: 'Elsewhere' });
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, '/organization/people');
    await page.getByText('Ana Auditor').first().waitFor();
    // As after a sign-in with a provider: the session exists, and another tab opens the page with it.
    const { sessionToken } = stranger.owner;
    await visitor.context.addCookies([{ name: 'lucarne', value: sessionToken, url, httpOnly: true }]);
    const tab = await visitor.context.newPage();
    await tab.goto(`${url}/portal/`);
    await page.getByText('Elsewhere').first().waitFor();
    await tab.close();
    expect(await page.getByText('Ana Auditor').count()).toBe(0);
    expect(await page.getByText('Olga Owner').count()).toBe(0);
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('go to the sign-in page, without data on screen, when the session was ended elsewhere', async () => {
    const places = [
      ['/', 'To do'],
      ['/a/payments/cases', 'Cases'],
      ['/organization/log', 'Activity log'],
      ['/organization/relays', 'Relays'],
      ['/organization/people', 'People'],
      ['/a/payments/reports', 'Reports'],
      ['/account', 'Sam'],
    ] as const;
    for (const [place, title] of places) {
      const { principal, sessionToken } = await seedMember(
        story.app.application.foundation,
        story.app.organization.organization.id,
        {
          owner: PERMISSIONS.owner,
          applications: [
            { foreignId: 'payments', administrator: PERMISSIONS.administrator, common: PERMISSIONS.common },
          ],
        },
        'Sam Signed-out',
      );
      const visitor = await story.visit();
      await visitor.enter({ ...desk.everything, sessionToken }, place);
      await visitor.page.getByRole('heading', { level: 1, name: title }).waitFor();
      await desk.asOwner('mutation ($id: ID!) { endMemberSessions(memberId: $id) }', {
        id: principal.userId,
      });
      // The next request detects it, unless the page was notified before.
      await visitor.page.evaluate(`document.querySelector('a[href$="/disclosures"]')?.click()`);
      await visitor.page.getByText('Your session has ended.').waitFor();
      expect(await visitor.page.getByText('Sam Signed-out').count()).toBe(0);
      if (place === '/') expect(await problemsInEveryLook(visitor)).toEqual([]);
    }
  });
});
