import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { portalStories, until } from '../kit/browser/portal.js';
import { openDesk, type Desk } from './kit.js';

/**
 * Measures how long people wait on this machine: `npm run portal:times`. It is not a test, because no test depends on a time.
 */
const ROUNDS = 7;
const RECORDS = 3_000;
/** As in `screens/cases/transactions.tsx`. */
const PAGE = 200;

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
const rounded = (value: number) => Math.round(value * 10) / 10;
const summary = (values: readonly number[]) =>
  `median ${Math.round(median(values))} ms, longest ${Math.round(Math.max(...values))} ms`;

/** The time from the start of the document to the frame after the one in which the expression is true. */
const paintedAt = (page: Page, expression: string) =>
  page.evaluate<number>(`new Promise((resolve) => {
    const look = () => (${expression})
      ? requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())))
      : requestAnimationFrame(look);
    look();
  })`);

interface Traced {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of processor time. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/**
 * The processor time of each task of the busiest page's main thread, in milliseconds. A frame takes longer on a busy machine,
 * and its tasks do not.
 */
function tasksIn(trace: Buffer): readonly number[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { readonly traceEvents: readonly Traced[] };
  const threads = traceEvents.filter(
    ({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain',
  );
  const tasksOf = ({ pid, tid }: Traced) =>
    traceEvents.filter((event) => event.pid === pid && event.tid === tid && event.name.endsWith('RunTask'));
  const [busiest = []] = threads.map(tasksOf).toSorted((one, other) => other.length - one.length);
  return busiest.map(({ tdur = 0 }) => tdur / 1_000);
}

portalStories('the loading times of the portal', (story) => {
  it('are measured in this browser', async () => {
    const amounts = Array.from({ length: RECORDS - 1 }, (_, index) => BigInt(index) * 1_000_003n);
    const desk: Desk = await openDesk(story.app, amounts);
    const cases: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) cases.push(await desk.openCase(`Round ${round}`));
    const lines: string[] = [];

    const signIn: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const newcomer = await story.visit();
      const { page } = newcomer;
      await newcomer.open('/sign-in');
      signIn.push(await paintedAt(page, `document.querySelector('h1') && document.querySelector('input')`));
      await page.goto('about:blank');
    }
    lines.push(`sign-in painted, nothing cached: ${summary(signIn)}`);

    const visitor = await story.visit({ viewport: { width: 1280, height: 900 } });
    const { page } = visitor;
    await visitor.enter(desk.auditor, '/a/payments/cases');
    await page.getByRole('link', { name: 'Round 0' }).waitFor();
    const list: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await page.reload({ waitUntil: 'commit' });
      list.push(
        await paintedAt(page, `document.querySelectorAll('main a[href*="/cases/cas_"]').length >= ${ROUNDS}`),
      );
    }
    lines.push(`a list, its files cached: ${summary(list)}`);

    const answers = { CaseRecords: [] as number[], CaseProofs: [] as number[] };
    page.on('requestfinished', (request) => {
      const operation = /query (CaseRecords|CaseProofs)/.exec(request.postData() ?? '')?.[1];
      if (operation === undefined) return;
      const { requestStart, responseEnd } = request.timing();
      answers[operation as keyof typeof answers].push(responseEnd - requestStart);
    });
    const records: number[] = [];
    const checked: number[] = [];
    const proven: number[] = [];
    const since = (id: string, expression: string) =>
      page.evaluate<[number, number]>(`new Promise((resolve) => {
        const link = document.querySelector('main a[href$="/${id}"]');
        const began = performance.now();
        globalThis.began_ = began;
        link.click();
        const times = [];
        const look = () => {
          if (times.length === 0 && document.querySelectorAll('[role=rowheader]').length > 10) times.push(performance.now() - began);
          if (times.length === 1 && (${expression})) return requestAnimationFrame(() => resolve([times[0], performance.now() - began]));
          requestAnimationFrame(look);
        };
        look();
      })`);
    for (const id of cases) {
      await page.getByRole('link', { name: 'Round 0' }).waitFor();
      const [shown, sight] = await since(
        id,
        `[...document.querySelectorAll('.virtual-grid .mark')].length > 10 && [...document.querySelectorAll('.virtual-grid .mark')].every((mark) => mark.classList.contains('good'))`,
      );
      records.push(shown);
      checked.push(sight);
      // Those in sight, and the rest.
      while (answers.CaseProofs.length < 2 * (proven.length + 1)) await page.waitForTimeout(5);
      proven.push(await page.evaluate<number>('performance.now() - globalThis.began_'));
      await page.goBack();
    }
    // The first one also loaded the code.
    lines.push(`${PAGE} decrypted records, from the click to rows: ${summary(records.slice(1))}`);
    lines.push(`of these, the gateway's answer: ${summary(answers.CaseRecords.slice(1, ROUNDS))}`);
    lines.push(`the same, until each shown amount is checked: ${summary(checked.slice(1))}`);
    lines.push(`until the proofs of all ${PAGE} are there: ${summary(proven.slice(1))}`);

    // Without the page: what it would wait for if it read amounts and proofs together.
    const together: number[] = [];
    for (const id of cases)
      together.push(
        await page.evaluate<number>(`(async () => {
          const query = \`query ($id: ID!) { case(foreignId: "payments", id: $id) { transactions(first: ${PAGE}) { nodes {
            id amount proof { auditorElGamalPubkey ciphertext { lo hi } proof } } } } }\`;
          const began = performance.now();
          const response = await fetch('/graphql', { method: 'POST', headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ query, variables: { id: '${id}' } }) });
          await response.text();
          return performance.now() - began;
        })()`),
      );
    lines.push(
      `the gateway's answer with ${PAGE} amounts and their proofs together: ${summary(together.slice(1))}`,
    );

    const session = await visitor.context.newCDPSession(page);
    const heap = async () => {
      await session.send('HeapProfiler.collectGarbage');
      return ((await session.send('Runtime.getHeapUsage')) as { usedSize: number }).usedSize / 2 ** 20;
    };
    await page.getByRole('link', { name: 'Round 0' }).click();
    await page.getByText(`${PAGE} of 3,000 loaded`).waitFor();
    const before = await heap();
    const browser = page.context().browser()!;
    await browser.startTracing(page, { categories: ['toplevel', '__metadata'] });
    // Scrolls like a reader with a wheel: 12 rows per frame, to the end of the loaded rows, and further as more rows load.
    await page.evaluate(`(() => {
      const grid = document.querySelector('.virtual-grid');
      globalThis.frames_ = []; globalThis.done_ = false;
      let last = performance.now();
      const turn = (now) => {
        frames_.push(now - last); last = now;
        grid.scrollTop += 480;
        const isWhole = grid.getAttribute('aria-rowcount') === '${RECORDS + 1}';
        if (isWhole && grid.scrollTop + grid.clientHeight >= grid.scrollHeight - 1) { done_ = true; return; }
        requestAnimationFrame(turn);
      };
      requestAnimationFrame(turn);
    })()`);
    await until(page, 'globalThis.done_');
    const frames = await page.evaluate<number[]>('globalThis.frames_.slice(1)');
    const rows = await page.evaluate(`document.querySelectorAll('.virtual-grid-body [role=row]').length`);
    const tasks = tasksIn(await browser.stopTracing());
    const after = await heap();
    lines.push(
      `scrolling ${RECORDS} records: ${frames.length} frames, longest ${Math.round(Math.max(...frames))} ms, ` +
        `${frames.filter((frame) => frame > 100).length} over 100 ms, median ${Math.round(median(frames))} ms; ` +
        `${String(rows)} rows in the page; memory of the page ${rounded(after)} MiB, ${rounded(after - before)} MiB of it for the records`,
    );
    lines.push(
      `processor time of the longest task of the page while scrolling: ${rounded(Math.max(...tasks))} ms, ` +
        `${tasks.filter((task) => task > 100).length} of ${tasks.length} tasks over 100 ms`,
    );
    process.stdout.write(`\n${lines.map((line) => `- ${line}`).join('\n')}\n`);
    expect(frames.length).toBeGreaterThan(100);
  }, 900_000);
});
