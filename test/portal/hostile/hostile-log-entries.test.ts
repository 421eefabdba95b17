import { beforeAll, describe, expect, it } from '@jest/globals';
import { organizationSigner } from '../../../src/domain/activity-log/sequencing/signing-key.js';
import { signCheckpoint } from '../../../src/platform/crypto/index.js';
import { withSignatures } from '../../../src/platform/keys/index.js';
import { portalStories, until, within, type Answered } from '../../kit/browser/portal.js';
import { openDesk, type Desk } from '../kit.js';

portalStories('a gateway that lies about log entries, in the portal', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
    await desk.openCase('Stands in the log');
    await story.logged();
  });
  const LISTS = { Log: 'activityLog', CaseLog: 'caseActivityLog' } as const;

  /** The marks of the two newest entries that are not folded, after `change`. */
  async function marksAfter(
    change: (entries: Answered[]) => void,
    { who = desk.everything, place = '/organization/log' } = {},
  ): Promise<string[]> {
    const visitor = await story.visit();
    await visitor.betray((operation, data) => {
      if (operation !== 'Log' && operation !== 'CaseLog') return;
      const entries = within(data, LISTS[operation], 'nodes') as unknown as Answered[];
      change(entries.filter(({ eventType }) => !(eventType as string).startsWith('session.')));
    });
    await visitor.enter(who, place);
    const marks = visitor.page.getByRole('button', {
      name: /^Entry( \d+)?: (Checked here|Does not hold|Not checkable)$/,
    });
    await marks.nth(1).waitFor();
    await until(visitor.page, `!document.body.textContent.includes('Checking…')`);
    const texts = await marks.allTextContents();
    await marks.first().click();
    await visitor.page.getByRole('dialog').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    return texts;
  }
  const details = (entry: Answered | undefined) => entry!['details'] as Answered;
  const firstTwo = async (change: (entries: Answered[]) => void) => (await marksAfter(change)).slice(0, 2);

  it('is green for honest entries of the organization, an application and a case', async () => {
    const id = await desk.openCase('Whose log is read');
    await story.logged();
    for (const where of [
      { who: desk.everything, place: '/organization/log' },
      { who: desk.auditor, place: '/a/payments/log' },
      { who: desk.auditor, place: `/a/payments/cases/${id}?tab=activity` },
    ]) {
      const marks = await marksAfter(() => undefined, where);
      expect([where.place, new Set(marks)]).toEqual([where.place, new Set(['Checked here'])]);
    }
  });
  it('is red if a detail is changed', async () => {
    const marks = await firstTwo(([first]) => (details(first)['access_days'] = 365));
    expect(marks).toEqual(['Does not hold', 'Checked here']);
  });
  it('is red if the actor is replaced', async () => {
    expect(await firstTwo(([first]) => (first!['user'] = 'Somebody Else'))).toEqual([
      'Does not hold',
      'Checked here',
    ]);
  });
  it('is red if a name is omitted as if it had been erased', async () => {
    expect(await firstTwo(([first]) => (first!['user'] = null))).toEqual(['Does not hold', 'Checked here']);
  });
  it('is red if a personal value has another salt and value', async () => {
    const marks = await firstTwo(([first]) => {
      const salt = within(first!['logged'], 'salts', '/user');
      first!['user'] = salt['value'] = 'Somebody Else';
    });
    expect(marks).toEqual(['Does not hold', 'Checked here']);
  });
  it('is red if two entries swap their proofs', async () => {
    const marks = await firstTwo(([first, second]) => {
      const { inclusion } = first!['logged'] as Answered;
      within(first, 'logged')['inclusion'] = within(second, 'logged')['inclusion'];
      within(second, 'logged')['inclusion'] = inclusion;
    });
    expect(marks).toEqual(['Does not hold', 'Does not hold']);
  });
  it('is red if an entry has the proof of another', async () => {
    const marks = await firstTwo(([first, second]) => {
      first!['logged'] = second!['logged'];
      first!['index'] = second!['index'];
    });
    expect(marks).toEqual(['Does not hold', 'Checked here']);
  });
  it('is never green if a proof is missing', async () => {
    expect(await firstTwo(([first]) => (first!['logged'] = null))).toEqual(['Not checkable', 'Checked here']);
  });
  it('raises the alarm if its page is proven under another tree, signed by the real key', async () => {
    const { foundation } = story.app.application;
    const { id } = story.app.organization.organization;
    const { origin, size } = await story.logged();
    const signer = await withSignatures(foundation.signingKeys, (signatures) =>
      foundation.database.transaction((transaction) =>
        organizationSigner(transaction, { ...foundation, signatures }, id, new Date()),
      ),
    );
    const visitor = await story.visit();
    await visitor.betray((operation, data) => {
      if (operation !== 'Log') return;
      const root = new Uint8Array(32).fill(7);
      const note = signCheckpoint({ origin, size, root }, { ...signer, name: origin });
      Object.assign(within(data, 'activityLog', 'checkpoint'), { note, size });
    });
    await visitor.enter(desk.everything, '/organization/log');
    await visitor.page.getByRole('alert').getByText('The activity log does not hold.').waitFor();
    await visitor.page
      .getByRole('button', { name: /^Entry \d+: Does not hold$/ })
      .first()
      .waitFor();
    expect(await visitor.page.getByRole('button', { name: /^Entry \d+: Checked here$/ }).count()).toBe(0);
  });

  describe('or omits entries of the organization’s log', () => {
    beforeAll(async () => {
      for (let count = 1; count <= 50; count += 1) await desk.ask(`Fills the log ${count}`);
      await story.logged();
    });
    const NOTICES = /^The gateway (returned entries|left entries|has not returned)/;

    /** The statement about the whole log after `change` of each of its pages, the newest first. */
    async function toldAfter(
      change: (entries: Answered[], page: number) => Answered[],
      locale = 'en-GB',
    ): Promise<string[]> {
      const visitor = await story.visit({ locale });
      const { page } = visitor;
      await visitor.betray((operation, data, sent) => {
        if (operation !== 'Log') return;
        const log = data['activityLog'] as Answered;
        log['nodes'] = change(log['nodes'] as Answered[], sent['after'] == null ? 0 : 1);
      });
      await visitor.enter(desk.everything, '/organization/log');
      await page.getByRole('button', { name: /^(Show more|Afficher plus)$/ }).click();
      await page.getByRole('button', { name: /^(Show more|Afficher plus)$/ }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: /^(Activity log: Checked here|Journal d’activité)/ }).waitFor();
      expect(await visitor.accessibilityProblems()).toEqual([]);
      return page.locator('.notice').allTextContents();
    }
    const indexOf = (entry: Answered | undefined) => `#${String(entry!['index'])}`;

    it('is not accused while honest', async () => {
      expect(await toldAfter((entries) => entries)).toEqual([]);
    });

    it('is reported if it omits the newest entry and one of each page', async () => {
      const left: string[] = [];
      const notices = await toldAfter((entries, page) => {
        const [newest, ...others] = entries;
        const [leftOut] = others.splice(7, 1);
        if (page === 0) left.push(indexOf(newest));
        left.push(indexOf(leftOut));
        return page === 0 ? others : [newest!, ...others];
      });
      expect(notices).toEqual([
        expect.stringContaining(`The gateway left entries of the log out: ${left[1]} and ${left[2]}.`),
        expect.stringContaining(`The gateway has not returned all entries: ${left[0]}.`),
      ]);
    });

    it('is reported if it ends the log before its first entry', async () => {
      const notices = await toldAfter(
        (entries, page) => (page === 0 ? entries : entries.slice(0, -2)),
        'fr-FR',
      );
      expect(notices).toEqual(['La passerelle a omis des entrées du journal : #0 – #1.']);
    });

    it('is reported if it replaces one entry by another, and swaps two', async () => {
      const changed: string[] = [];
      const notices = await toldAfter((entries, page) => {
        if (page === 0) return entries;
        changed.push(indexOf(entries[1]), indexOf(entries[2]));
        return [...entries.slice(0, 2), entries[1]!, entries.at(-1)!, ...entries.slice(4, -1), entries[3]!];
      });
      expect(notices[0]).toBe(`The gateway returned entries more than once: ${changed[0]}.`);
      expect(notices).toContain('The gateway returned entries that are not in time order.');
      expect(notices.at(-1)).toBe(`The gateway left entries of the log out: ${changed[1]}.`);
    });

    it('is reported if it repeats a page instead of the next one', async () => {
      let first: Answered[] = [];
      const notices = await toldAfter((entries, page) => {
        if (page === 0) first = entries;
        return first;
      });
      expect(notices.filter((notice) => NOTICES.test(notice))).toEqual(notices);
      expect(notices).toHaveLength(3);
      const [newest, oldest] = [first[0], first.at(-1)].map((entry) => entry!['index'] as number);
      expect(notices[0]).toBe(`The gateway returned entries more than once: #${oldest} – #${newest}.`);
      expect(notices[2]).toBe(`The gateway left entries of the log out: #0 – #${oldest! - 1}.`);
    });
  });
});
