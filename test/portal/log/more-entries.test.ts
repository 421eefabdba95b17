import { beforeAll, it } from '@jest/globals';
import type { Request } from 'playwright-core';
import { openGate } from '../../kit/process/gate.js';
import { portalStories } from '../../kit/browser/portal.js';
import { openDesk, type Desk } from '../kit.js';

const PAGE = 50;

portalStories('a log that is read further', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
    for (let count = 1; count <= PAGE; count += 1) await desk.ask(`Fills the log ${count}`);
    await story.logged();
  });

  it('shows the next page also if a new entry comes while it is read', async () => {
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.enter(desk.everything, '/organization/log');
    const more = page.getByRole('button', { name: 'Show more' });
    await more.waitFor();
    const pageOf = (request: Request) => {
      const { query = '', variables = {} } = (request.postDataJSON() ?? {}) as {
        readonly query?: string;
        readonly variables?: { readonly after?: string | null };
      };
      return /query Log\b/.test(query) ? (variables.after == null ? 'first' : 'next') : undefined;
    };
    using gate = openGate();
    let isHeld = false;
    await page.route('**/graphql', async (route) => {
      if (pageOf(route.request()) === 'next' && !isHeld) {
        isHeld = true;
        await gate.until();
      }
      // The page no longer waits for the one that was held.
      await route.continue().catch(() => undefined);
    });
    await more.click();
    await gate.arrived;
    const readAgain = page.waitForRequest((request) => pageOf(request) === 'first');
    await desk.ask('Comes meanwhile');
    await story.logged();
    await readAgain;
    gate.release();
    await more.waitFor({ state: 'detached' });
  });
});
