import { beforeAll, describe, expect, it } from '@jest/globals';
import { operatorOf, PERMISSIONS } from '../../../src/domain/access/index.js';
import { closeCaseRequest } from '../../../src/domain/cases/index.js';
import { approveAddress, revokeAddress } from '../../../src/domain/checks/addresses/set-address-status.js';
import { createApplication } from '../../../src/domain/organizations/index.js';
import { randomAddress, seedRecords } from '../../kit/ledger/confidential-records.js';
import { portalStories, until, type Visitor } from '../../kit/browser/portal.js';
import { SEED_PASSWORD, seedMember } from '../../kit/seed.js';
import { openDesk, type Desk } from '../kit.js';

/** More than a page of a list. */
const MANY = 52;

portalStories('what leads on from a place of the portal', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
  });

  describe('a mark', () => {
    const dateOf = async ({ page }: Visitor) => {
      const dialog = page.getByRole('dialog');
      await dialog.getByText(/^Checked on/).waitFor();
      return Date.parse((await dialog.locator('time').first().getAttribute('datetime')) ?? '');
    };

    it('says when this browser checked an amount, and when it checked the log', async () => {
      const begun = Date.now() - 1_000;
      const id = await desk.openCase('When it was checked');
      const visitor = await story.visit();
      const { page } = visitor;
      await visitor.enter(desk.auditor, `/a/payments/cases/${id}`);
      await page
        .getByRole('button', { name: /^Amount: Checked here$/ })
        .first()
        .click();
      const first = await dateOf(visitor);
      expect(first).toBeGreaterThanOrEqual(begun);
      expect(first).toBeLessThanOrEqual(Date.now());
      expect(await visitor.accessibilityProblems()).toEqual([]);
      await page.keyboard.press('Escape');
      const owner = await story.visit();
      await owner.enter(desk.everything, '/organization/log');
      await owner.page.getByRole('button', { name: 'Activity log: Checked here' }).click();
      expect(await dateOf(owner)).toBeGreaterThanOrEqual(begun);
    });

    it('says so in French', async () => {
      const visitor = await story.visit({ locale: 'fr-FR' });
      await visitor.enter(desk.everything, '/organization/log');
      await visitor.page.getByRole('button', { name: 'Journal d’activité : Vérifié ici' }).click();
      await visitor.page.getByText(/^Vérifié le/).waitFor();
    });
  });

  it('fades the places of the navigation where more of them are below, and shows the last one whole', async () => {
    const visitor = await story.visit({ viewport: { width: 1_000, height: 420 } });
    const { page } = visitor;
    await visitor.enter(desk.everything, '/account');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }).waitFor();
    /** The fade above the row that stays in sight, the places that it covers, and those below it. */
    const fade = () =>
      page.evaluate(`(() => {
        const row = document.querySelector('.sidebar .navigation > .row');
        const { content, backgroundImage, height, bottom, position } = getComputedStyle(row, '::before');
        const top = row.getBoundingClientRect().top;
        const links = [...document.querySelectorAll('.sidebar .navigation a')].map((one) => one.getBoundingClientRect());
        return {
          isDrawn: content === '""' && position === 'absolute' && backgroundImage.startsWith('linear-gradient(rgba(0, 0, 0, 0), '),
          isAbove: Math.abs(parseFloat(bottom) - row.clientHeight) < 2,
          covers: links.filter((box) => box.bottom > top - parseFloat(height) && box.top < top).length,
          below: links.filter((box) => box.top >= top).length,
        };
      })()`);
    expect(await fade()).toMatchObject({ isDrawn: true, isAbove: true });
    expect(((await fade()) as { below: number }).below).toBeGreaterThan(0);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Help' }).focus();
    await page.evaluate(
      `(() => { const bar = document.querySelector('.sidebar'); bar.scrollTop = bar.scrollHeight; })()`,
    );
    expect(await fade()).toMatchObject({ below: 0, covers: 0 });
  });

  it('leads from totals that are too many to the reports of the case', async () => {
    const id = await desk.openCase('More than can be added up');
    await seedRecords(
      story.app.application.foundation,
      desk.asset,
      Array.from({ length: 1_000 }, () => ({
        type: 'confidential_withdraw' as const,
        blockTime: Math.floor(Date.now() / 1_000) - 5 * 86_400,
        publicData: { amount: '400', authority: randomAddress() },
      })),
    );
    for (const [locale, totals, sentence, link, create] of [
      [
        'en-GB',
        'Totals',
        /more than 1,000 transactions.*“Totals by asset and type”/,
        'Reports of this case',
        'Create a report…',
      ],
      [
        'fr-FR',
        'Totaux',
        /plus de 1.000 transactions.*« Totaux par actif et type »/,
        'Rapports de ce dossier',
        'Créer un rapport…',
      ],
    ] as const) {
      const visitor = await story.visit({ locale });
      const { page } = visitor;
      await visitor.enter(desk.auditor, `/a/payments/cases/${id}`);
      await page.getByRole('button', { name: totals, exact: true }).click();
      await page.getByText(sentence).waitFor();
      expect(await visitor.accessibilityProblems()).toEqual([]);
      await page.getByRole('link', { name: link }).click();
      await page.getByRole('button', { name: create, exact: true }).waitFor();
      expect(new URL(page.url()).searchParams.get('tab')).toBe('reports');
    }

    // Not for an auditor who may create no report.
    const { application, organization } = story.app;
    const { common, auditor } = PERMISSIONS;
    const reads = auditor.filter((permission) => permission !== 'reports:create');
    const reader = await seedMember(
      application.foundation,
      organization.organization.id,
      { applications: [{ foreignId: 'payments', common, auditor: reads }] },
      'Rita Reader',
    );
    const ADD = 'mutation ($input: ChangeCaseAuditorInput!) { addCaseAuditor(input: $input) { id } }';
    await desk.asOwner(ADD, {
      input: { foreignId: 'payments', id, auditorId: reader.principal.userId, reason: 'Reads along' },
    });
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(reader, `/a/payments/cases/${id}`);
    await page.getByRole('button', { name: 'Totals', exact: true }).click();
    await page.getByText(/more than 1,000 transactions/).waitFor();
    expect(await page.getByRole('link', { name: 'Reports of this case' }).count()).toBe(0);
  });

  it('keeps the filter of addresses and the recorded check together', async () => {
    const { foundation } = story.app.application;
    const approved = randomAddress();
    const revoked = randomAddress();
    const listed = { foreignId: 'payments', network: 'solana', reason: 'A customer' };
    for (const address of [approved, revoked])
      await approveAddress(foundation, desk.administrator.principal, { ...listed, address });
    await revokeAddress(foundation, desk.administrator.principal, { ...listed, address: revoked });
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.administrator, '/a/payments/addresses?status=revoked');
    const list = page.getByRole('list', { name: 'Listed addresses' });
    await list.getByText(revoked).waitFor({ state: 'attached' });
    await page.getByLabel('Address to check').fill(approved);
    await page.getByRole('button', { name: 'Check the address' }).click();
    await page.getByRole('button', { name: 'Recorded check: Not checkable' }).waitFor();
    const search = () => Object.fromEntries(new URL(page.url()).searchParams);
    expect(search()).toEqual({ status: 'revoked', check: expect.stringMatching(/^chk_/) });
    await page.getByLabel('Address begins with').fill(approved.slice(0, 8));
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('No listed address matches.').waitFor();
    await page.getByLabel('Listed as').selectOption('approved');
    await list.getByText(approved).waitFor({ state: 'attached' });
    expect(search()).toEqual({ status: 'approved', check: expect.stringMatching(/^chk_/) });
    expect(await page.getByRole('button', { name: 'Recorded check: Not checkable' }).count()).toBe(1);
    // Back finds the choice as it was.
    await page.goBack();
    await page.getByText('No listed address matches.').waitFor();
    expect(await page.getByLabel('Listed as').inputValue()).toBe('revoked');
    await page.getByText('Recorded checks, newest first').click();
    await page.getByRole('list', { name: 'Recorded checks, newest first' }).getByRole('link').first().click();
    await page.waitForURL(/check=chk_/);
    expect(search()).toMatchObject({ status: 'revoked' });
  });

  it('lists decided requests and disclosures, however many newer ones are pending', async () => {
    const request = await desk.ask('Decided long ago');
    await closeCaseRequest(story.app.application.foundation, desk.administrator.principal, {
      foreignId: 'payments',
      id: request,
      reason: 'Not needed',
    });
    await desk.openCase('Approved long ago');
    const disclosure = await desk.askDisclosure('Rejected long ago');
    const DECIDE = 'mutation ($input: DecideDisclosureInput!) { decideDisclosure(input: $input) { id } }';
    await desk.asOwner(DECIDE, { input: { id: disclosure, decision: 'reject', reason: 'Too wide' } });
    for (let count = 0; count < MANY; count += 1) {
      await desk.ask(`Waits ${count}`);
      await desk.askDisclosure(`Is asked ${count}`);
    }
    const visitor = await story.visit();
    const { page } = visitor;
    for (const user of [desk.administrator, desk.auditor]) {
      await visitor.enter(user, '/a/payments/requests?view=decided');
      const rows = page.getByRole('list', { name: 'Case requests' }).getByRole('listitem');
      await rows.filter({ hasText: 'Decided long ago' }).waitFor();
      await rows.filter({ hasText: 'Approved long ago' }).waitFor();
      // Newest first, whatever the decision.
      const names = await rows.getByRole('link').allTextContents();
      expect(names.indexOf('Approved long ago')).toBeLessThan(names.indexOf('Decided long ago'));
      expect(names.filter((name) => name.startsWith('Waits'))).toEqual([]);
      expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
    }
    await visitor.enter(desk.everything, '/disclosures?view=decided');
    await page.getByRole('link', { name: 'Rejected long ago' }).waitFor();
    expect(await page.getByRole('link', { name: /^Is asked/ }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('closes the notice of changed permissions, and gives the focus to the page', async () => {
    const { application, organization } = story.app;
    const member = await seedMember(
      application.foundation,
      organization.organization.id,
      { owner: ['logs:view_activity', 'members:manage'] },
      'Lea Less',
    );
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(member, '/organization/log');
    await page.getByRole('heading', { level: 1, name: 'Activity log' }).waitFor();
    await desk.permit(member, ['logs:view_activity']);
    await page.evaluate(`document.querySelector('a[href$="/organization/people"]')?.click()`);
    const notice = page.getByText('Your permissions were changed.');
    await notice.waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await page.getByRole('button', { name: 'Close the notice' }).click();
    await notice.waitFor({ state: 'detached' });
    await until(page, 'document.activeElement !== document.body');
  });

  it('shows the notice of changed permissions to nobody who signs in afterwards in the same tab', async () => {
    const { application, organization } = story.app;
    const member = await seedMember(
      application.foundation,
      organization.organization.id,
      { owner: ['logs:view_activity', 'members:manage'] },
      'Lia Leaves',
    );
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(member, '/organization/log');
    await page.getByRole('heading', { level: 1, name: 'Activity log' }).waitFor();
    await desk.permit(member, ['logs:view_activity']);
    await page.evaluate(`document.querySelector('a[href$="/organization/people"]')?.click()`);
    const notice = page.getByText('Your permissions were changed.');
    await notice.waitFor();
    await page.evaluate('window.isSameTab = true');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('E-mail address').fill(desk.auditor.email);
    await page.getByLabel('Password').fill(SEED_PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Signed in as Ana Auditor').waitFor();
    // The page was not loaded again, which would forget everything.
    expect(await page.evaluate('window.isSameTab')).toBe(true);
    expect(await notice.count()).toBe(0);
  });

  it.each([
    ['/organization/policies', 'Create a policy…'],
    ['/organization/keys', 'Create a key…'],
    ['/organization/log', 'Export with proofs…'],
    ['/organization/log', 'Show'],
    ['/a/payments/addresses', 'Find'],
  ])('offers at %s no “%s” that the gateway would refuse', async (place, action) => {
    const visitor = await story.visit();
    await visitor.enter(desk.auditor, place);
    await visitor.page.getByRole('heading', { level: 2, name: 'No permission' }).last().waitFor();
    // It says which permission it takes.
    await visitor.page
      .getByText(/This needs the (owner|administrator) permission [a-z_]+:[a-z_]+/)
      .last()
      .waitFor();
    expect(await visitor.page.getByRole('button', { name: action, exact: true }).count()).toBe(0);
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });

  it('leads on from “To do” also in several applications', async () => {
    const { application, organization } = story.app;
    const { id } = organization.organization;
    await createApplication(application.foundation, operatorOf(id), {
      foreignId: 'treasury',
      name: 'Treasury',
    });
    const { common, administrator, auditor } = PERMISSIONS;
    const applications = ['payments', 'treasury'].map((foreignId) => ({
      ...{ foreignId, common, administrator, auditor },
    }));
    const member = await seedMember(application.foundation, id, { applications }, 'Mona Many');
    for (let count = 0; count < 22; count += 1) await desk.ask(`Queued ${count}`);
    await desk.openCase('Open for a month');
    const visitor = await story.visit();
    const { page } = visitor;
    const card = (title: string) =>
      page.locator('section', { has: page.getByRole('heading', { name: title }) });
    await visitor.enter(member);
    const create = card('Your pending requests');
    await create.getByRole('link', { name: 'Treasury' }).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await card('Requests to decide')
      .getByRole('link', { name: /Acme payments \(\d+\)/ })
      .click();
    await page.waitForURL('**/a/payments/requests');
    await visitor.open('/');
    await card('Cases that end within 48 hours')
      .getByRole('link', { name: /Acme payments \(\d+\)/ })
      .click();
    await page.waitForURL('**/a/payments/cases');
    await visitor.open('/');
    await create.getByRole('link', { name: 'Treasury' }).click();
    await page.waitForURL('**/a/treasury/requests/new');
  });
});
