import { beforeAll, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { say } from '../../edge/cli/terminal.js';
import { portalStories, type Visitor } from '../../kit/browser/portal.js';
import { openDesk, type Desk } from '../kit.js';

/** Opens a mark and saves its file with the button in its details. */
async function savedFrom(page: Page, mark: Locator): Promise<string> {
  await mark.click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog').getByRole('button', { name: 'Save the file of this check' }).click(),
  ]);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  return readFile(await download.path(), 'utf8');
}

portalStories('the file of a verification mark', (story) => {
  let desk: Desk;
  let caseId: string;
  beforeAll(async () => {
    desk = await openDesk(story.app);
    caseId = await desk.openCase('Keep the proofs');
  });

  /** The results of the command and of “Verify a file” for a text, which both check without the gateway. */
  async function judged(visitor: Visitor, command: 'amount' | 'log', text: string): Promise<string[]> {
    const directory = await mkdtemp(path.join(os.tmpdir(), 'lucarne-mark-'));
    try {
      const file = path.join(directory, 'file.json');
      await writeFile(file, text);
      const { exitCode } = await say([command, 'verify', file]);
      await visitor.open('/verify');
      await visitor.page.locator('.drop input').setInputFiles(file);
      const mark = visitor.page.getByRole('button', { name: /^File: (Checked here|Does not hold)$/ });
      return [`exit code ${exitCode}`, (await mark.textContent())!];
    } finally {
      await rm(directory, { recursive: true });
    }
  }

  it('contains an amount of a case, can be verified elsewhere, and cannot be altered', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.auditor, `/a/payments/cases/${caseId}`);
    const mark = page.getByRole('button', { name: 'Amount: Checked here' }).first();
    await mark.click();
    await page.getByRole('dialog').getByText('lucarne amount verify amount.json').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    await page.keyboard.press('Escape');
    const text = await savedFrom(page, mark);
    expect(JSON.parse(text)).toMatchObject({ amount: '1250' });
    expect(await judged(visitor, 'amount', text)).toEqual(['exit code 0', 'Checked here']);
    const altered = text.replace('"1250"', '"1251"');
    expect(await judged(visitor, 'amount', altered)).toEqual(['exit code 1', 'Does not hold']);
  });

  it('contains an amount of a disclosure', async () => {
    const id = await desk.disclose();
    const visitor = await story.visit();
    await visitor.enter(desk.everything, `/disclosures/${id}`);
    const marks = visitor.page.getByRole('button', { name: 'Amount: Checked here' });
    const text = await savedFrom(visitor.page, marks.first());
    expect(await judged(visitor, 'amount', text)).toEqual(['exit code 0', 'Checked here']);
  });

  it('contains one log entry, or only its checkpoint', async () => {
    await story.logged();
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, '/organization/log');
    const entry = await savedFrom(
      page,
      page.getByRole('button', { name: /^Entry \d+: Checked here$/ }).first(),
    );
    const log = await savedFrom(page, page.getByRole('button', { name: 'Activity log: Checked here' }));
    expect((JSON.parse(entry) as { entries: unknown[] }).entries).toHaveLength(1);
    expect(await judged(visitor, 'log', entry)).toEqual(['exit code 0', 'Checked here']);
    const altered = entry.replace(/"event_type":"[^"]+"/, '"event_type":"case.approved"');
    expect(altered).not.toBe(entry);
    expect(await judged(visitor, 'log', altered)).toEqual(['exit code 1', 'Does not hold']);
    expect(await judged(visitor, 'log', log)).toEqual(['exit code 0', 'Checked here']);
  });
});
