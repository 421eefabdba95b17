import { beforeAll, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import type { Page, Route } from 'playwright-core';
import { verifyExportedLog } from '../../../src/domain/activity-log/index.js';
import { sql } from '../../../src/platform/database/index.js';
import { openGate } from '../../kit/process/gate.js';
import { portalStories, within } from '../../kit/browser/portal.js';
import { openDesk, type Desk } from '../kit.js';

/** More than two parts have. */
const MANY = 2_500;

portalStories('an export of a long log', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
    await story.app.database.rows(sql`
      insert into activity_entries (id, organization_id, event_type, actor_id, entry, salts, leaf_hash, created_at)
      select 'log_' || lpad(n::text, 26, '0'), organization_id, event_type, actor_id, entry, salts, leaf_hash, created_at
      from activity_entries, generate_series(1, ${MANY}) as n
      where event_type = 'organization.created' and organization_id = ${story.app.organization.organization.id}`);
    await story.logged();
  });

  /** Opens the dialog of the export in the log of the organization. */
  async function opened(page: Page) {
    await page.getByRole('button', { name: 'Export with proofs…' }).click();
    return page.getByRole('alertdialog', { name: 'Export the log' });
  }
  const isPart = (route: Route) => (route.request().postData() ?? '').includes('query LogExportPart');
  const exportsLogged = async () => {
    await story.logged();
    const [row] = await story.app.database.rows(
      sql<{
        count: number;
      }>`select count(*)::integer as count from activity_entries where event_type = 'log.exported'`,
    );
    return row!.count;
  };
  const verified = async (file: string) => {
    const { verifierKey } = await story.logged();
    return verifyExportedLog([await readFile(file)], { complete: true, verifierKey });
  };

  it('reads one part after the other, says how far it is, and saves one file that verifies', async () => {
    const before = await exportsLogged();
    const { size } = await story.logged();
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, '/organization/log');
    using gate = openGate();
    let parts = 0;
    await page.route('**/graphql', async (route) => {
      if (isPart(route) && (parts += 1) === 2) await gate.until();
      await route.continue();
    });
    const dialog = await opened(page);
    await dialog.getByRole('button', { name: 'Export the log' }).click();
    await gate.arrived;
    const read = dialog.getByRole('progressbar', { name: 'Export the log' });
    expect(await read.getAttribute('value')).toBe('1000');
    expect(await read.getAttribute('max')).toBe(String(size));
    await dialog.getByText('The file has 1,000 entries so far.').waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    const download = page.waitForEvent('download');
    gate.release();
    const file = await download;
    await dialog.getByText('The file is saved.').waitFor();
    await dialog.getByText(`The file has all ${size} entries of the log.`).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    expect(parts).toBe(3);
    expect(await verified(await file.path())).toMatchObject({ valid: true });
    expect(await exportsLogged()).toBe(before + 1);
  });

  it('can be cancelled: nothing more is read, and no file is saved', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, '/organization/log');
    using gate = openGate();
    let parts = 0;
    await page.route('**/graphql', async (route) => {
      if (isPart(route) && (parts += 1) === 2) {
        await gate.until();
        await route.abort().catch(() => undefined);
      } else await route.continue();
    });
    let downloads = 0;
    page.on('download', () => (downloads += 1));
    const dialog = await opened(page);
    await dialog.getByRole('button', { name: 'Export the log' }).click();
    await gate.arrived;
    const failed = page.waitForEvent('requestfailed', (request) =>
      (request.postData() ?? '').includes('query LogExportPart'),
    );
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await failed;
    gate.release();
    expect([parts, downloads]).toEqual([2, 0]);
    // The next one begins again with the first part.
    const again = await opened(page);
    const download = page.waitForEvent('download');
    await again.getByRole('button', { name: 'Export the log' }).click();
    expect(await verified(await (await download).path())).toMatchObject({ valid: true });
    expect([parts, downloads]).toEqual([5, 1]);
  });

  it('continues with the part that failed', async () => {
    const before = await exportsLogged();
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, '/organization/log');
    const asked: string[] = [];
    let failures = 3;
    await page.route('**/graphql', async (route) => {
      if (!isPart(route)) return route.continue();
      const { after } = within(route.request().postDataJSON(), 'variables') as { after: string };
      asked.push(after);
      if (asked.length === 1 || failures === 0) return route.continue();
      failures -= 1;
      return route.fulfill({ status: 503, json: { errors: [] } });
    });
    const dialog = await opened(page);
    await dialog.getByRole('button', { name: 'Export the log' }).click();
    // It was asked for again, twice.
    await dialog.getByRole('alert').waitFor();
    expect(asked).toHaveLength(4);
    expect(await visitor.accessibilityProblems()).toEqual([]);
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Continue the export' }).click();
    const file = await download;
    expect(await verified(await file.path())).toMatchObject({ valid: true });
    expect(new Set(asked).size).toBe(3);
    expect(await exportsLogged()).toBe(before + 1);
  });

  it('saves no file if a part is not what was logged', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, '/organization/log');
    let parts = 0;
    await visitor.betray((operation, data) => {
      if (operation !== 'LogExportPart') return;
      parts += 1;
      const part = within(data, 'logExportPart');
      part['text'] = (part['text'] as string).replace('"organization.created"', '"organization.updated"');
    });
    let downloads = 0;
    page.on('download', () => (downloads += 1));
    const dialog = await opened(page);
    await dialog.getByRole('button', { name: 'Export the log' }).click();
    await dialog.getByText('No file is saved: what the gateway sent does not hold.').waitFor();
    await dialog.getByText(/^Entry \d+ is not the entry that was logged at this index/).waitFor();
    expect(await visitor.accessibilityProblems()).toEqual([]);
    expect([parts, downloads]).toEqual([1, 0]);
  });
});
