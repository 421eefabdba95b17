import { beforeAll, expect, it } from '@jest/globals';
import { randomAddress, seedRecords } from '../../kit/ledger/confidential-records.js';
import { portalStories, until } from '../../kit/browser/portal.js';
import { openDesk, type Desk } from '../kit.js';

const ROWS = 120;
const PRESSES = 20;

/**
 * Lets a story act after what React has drawn and before the effects of it, as a reader does on a slow machine. React tells its
 * developer tools what it has drawn; the clock jumps then, so that its scheduler leaves the effects to the next task.
 */
const BETWEEN_TASKS = `(() => {
  let jumped = 0;
  const now = performance.now.bind(performance);
  performance.now = () => now() + jumped;
  const none = () => undefined;
  globalThis.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
    supportsFiber: true,
    ...{ inject: () => 1, checkDCE: none, onPostCommitFiberRoot: none, onCommitFiberUnmount: none, onScheduleFiberRoot: none },
    onCommitFiberRoot() {
      jumped += 10;
      queueMicrotask(() => globalThis.drawn?.());
    },
  };
})()`;

/**
 * Goes from one end of the grid to the other, each time when the grid was just drawn again because scrolling ended. Then it
 * waits until the focus is at that end. If the row with the focus leaves the page instead, the page puts the focus on its heading.
 */
const PRESS_WHEN_DRAWN = `(() => {
  globalThis.arrivals = 0;
  globalThis.lost = [];
  const grid = document.querySelector('[role=grid]');
  let isUnderWay = false;
  let scrolledAt = Infinity;
  grid.addEventListener('scroll', () => { scrolledAt = Date.now(); });
  globalThis.drawn = () => {
    if (isUnderWay || arrivals === ${PRESSES} || Date.now() - scrolledAt < 100) return;
    isUnderWay = true;
    const [key, row, back] = arrivals % 2 === 0 ? ['End', '${ROWS + 1}', -200] : ['Home', '2', 200];
    const pressed = new KeyboardEvent('keydown', { key, ctrlKey: true, bubbles: true, cancelable: true });
    grid.querySelector('[tabindex="0"]').dispatchEvent(pressed);
    const look = () => {
      const { activeElement } = document;
      if (activeElement.tagName === 'H1') lost.push(key);
      else if (activeElement.closest('[role=row]')?.ariaRowIndex !== row) requestAnimationFrame(look);
      else {
        arrivals += 1;
        isUnderWay = false;
        grid.scrollTop += back;
      }
    };
    look();
  };
  grid.scrollTop = 200;
})()`;

portalStories('the focus in a grid of transactions', (story) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(story.app);
    await seedRecords(
      story.app.application.foundation,
      desk.asset,
      Array.from({ length: ROWS - 3 }, (_, index) => ({
        type: 'confidential_deposit',
        blockTime: Math.floor(Date.now() / 1_000) - 3 * 86_400 + index,
        publicData: { amount: String(index + 1), authority: randomAddress() },
      })),
    );
  });

  it('follows the keyboard, also if the grid is drawn again at the same instant', async () => {
    const id = await desk.openCase('Read from end to end');
    const visitor = await story.visit();
    const { page } = visitor;
    await page.addInitScript({ content: BETWEEN_TASKS });
    await visitor.enter(desk.auditor, `/a/payments/cases/${id}`);
    await page.getByText(`${ROWS}, all of them`).waitFor();
    await page.evaluate(`document.querySelector('[role=grid] [tabindex="0"]').focus()`);
    await page.evaluate(PRESS_WHEN_DRAWN);
    await until(page, `arrivals === ${PRESSES} || lost.length > 0`);
    expect(await page.evaluate('lost')).toEqual([]);
    expect(await visitor.accessibilityProblems()).toEqual([]);
  });
});
