import { beforeAll, afterAll, expect, it } from '@jest/globals';
import { submitRelay } from '../../../src/domain/relays/admission/submit-relay.js';
import { retryRelay } from '../../../src/domain/relays/admission/retry-relay.js';
import { change, freshPackage, openDesk, openProofs, TO_FAILED } from '../../domain/relays/desk-kit.js';
import { portalStories, problemsInEveryLook, until } from '../../kit/browser/portal.js';
import { overSockets } from '../../kit/browser/sockets.js';

portalStories('watching a relay without an account', (story) => {
  let proofs: ReturnType<typeof openProofs>;
  let relays: Awaited<ReturnType<typeof openDesk>>;
  beforeAll(async () => {
    proofs = openProofs();
    relays = await openDesk(story.app.application.foundation, proofs);
  });
  afterAll(async () => {
    await relays[Symbol.asyncDispose]();
    await proofs[Symbol.asyncDispose]();
  });

  const submit = async () => (await submitRelay(relays, '192.0.2.1', freshPackage({}))).relayRequestId;
  const badges = '.timeline .badge';

  it('begins again after a lost connection, and shows each change once', async () => {
    const { foundation } = story.app.application;
    const id = await submit();
    const visitor = await story.visit();
    const { page } = visitor;
    const sockets = await overSockets(page);
    await visitor.open(`/relay#${id}`);
    await page.getByText('The package is stored. Nothing was sent.').first().waitFor();
    await sockets.away(async () => {
      await page.getByText('Not live: changes appear after the connection is restored.').waitFor();
      await change(foundation, id, { to: 'validating' }, { to: 'queued', attemptNumber: 1 });
    });
    await page.locator(badges).nth(2).waitFor();
    await change(foundation, id, { to: 'submitted' });
    await page.getByText('It may have landed. Do not send another.').waitFor();
    expect(await page.locator(badges).allTextContents()).toEqual([
      ...['accepted', 'being checked', 'queued', 'submitted'],
    ]);
    await change(foundation, id, { to: 'reconciling' }, { to: 'rejected', reason: 'nullifiers_spent' });
    await page.getByText('This is final.').waitFor();
  });

  it.each(['UNAVAILABLE', 'TOO_MANY_REQUESTS'])(
    'keeps what is known while the gateway refuses with %s, and continues by itself',
    async (code) => {
      const { foundation } = story.app.application;
      const id = await submit();
      const visitor = await story.visit();
      const { page } = visitor;
      const sockets = await overSockets(page);
      await visitor.open(`/relay#${id}`);
      await page.getByText('The package is stored. Nothing was sent.').first().waitFor();
      await sockets.isAsked('RelayStatus');
      sockets.hold();
      sockets.end('RelayStatus', code);
      await page.getByText('Not live: what follows may be outdated.').waitFor();
      expect(await page.locator(badges).allTextContents()).toEqual(['accepted']);
      expect(await problemsInEveryLook(visitor)).toEqual([]);
      await change(foundation, id, { to: 'validating' });
      sockets.release();
      await page.locator(badges).nth(1).waitFor();
      await page.getByText('Not live: what follows may be outdated.').waitFor({ state: 'detached' });
      await change(foundation, id, { to: 'rejected', reason: 'kyt_rejected' });
      await page.getByText('This is final.').waitFor();
    },
  );

  it('shows the whole timeline again after a reload, also of a relay that ended', async () => {
    const { foundation } = story.app.application;
    const id = await submit();
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.open(`/relay#${id}`);
    await page.getByText('The package is stored. Nothing was sent.').first().waitFor();
    await change(foundation, id, { to: 'validating' });
    await page.locator(badges).nth(1).waitFor();
    await page.reload();
    await page.locator(badges).nth(1).waitFor();
    await change(foundation, id, { to: 'rejected', reason: 'kyt_rejected' });
    await page.getByText('This is final.').waitFor();
    await page.reload();
    await page.getByText('This is final.').waitFor();
    expect(await page.locator(badges).allTextContents()).toEqual(['accepted', 'being checked', 'rejected']);
  });

  it.each([
    ['returns to the page', "dispatchEvent(new Event('focus'))"],
    ['tries it again, which is refused', undefined],
  ])('shows an attempt that somebody else with the id began, when the reader %s', async (_, returning) => {
    const { foundation } = story.app.application;
    const id = await submit();
    await change(foundation, id, ...TO_FAILED);
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.open(`/relay#${id}`);
    await page.getByRole('button', { name: 'Try again…' }).waitFor();
    await retryRelay(relays, '192.0.2.1', id);
    if (returning !== undefined) await page.evaluate(returning);
    else {
      await page.getByRole('button', { name: 'Try again…' }).click();
      const dialog = page.getByRole('alertdialog');
      await dialog.getByRole('button', { name: 'Send it again' }).click();
      await dialog.getByRole('alert').waitFor();
      expect(await visitor.accessibilityProblems()).toEqual([]);
      await page.keyboard.press('Escape');
    }
    await page.getByText('queued', { exact: true }).last().waitFor();
    await page.getByRole('button', { name: 'Try again…' }).waitFor({ state: 'detached' });
  });

  it('keeps the focus on its way to a relay, and to another one', async () => {
    const id = await submit();
    const visitor = await story.visit();
    const { page } = visitor;
    await visitor.open('/relay');
    await page.getByLabel('Id of the relay').fill(` ${id} `);
    await page.keyboard.press('Enter');
    await page.getByText('The package is stored. Nothing was sent.').first().waitFor();
    await until(page, `document.activeElement === document.querySelector('h1')`);
    await page.getByRole('button', { name: 'Watch another relay' }).press('Enter');
    await page.getByLabel('Id of the relay').waitFor();
    await until(page, `document.activeElement === document.querySelector('h1')`);
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });
});
