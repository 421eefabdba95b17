import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';

const CANDIDATES = [
  process.env['CHROMIUM'],
  // The same browser without windows: the longest file of stories took a seventh less processor time.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The browser of this machine; `undefined` where there is none. Nothing is downloaded. */
export const CHROMIUM = CANDIDATES.find((file) => file !== undefined && existsSync(file));

export const NO_CHROMIUM =
  'Stories in a browser are skipped: no Chromium was found. Install one (Debian: apt-get install chromium), or name it in CHROMIUM.';

export async function launchChromium(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error(NO_CHROMIUM);
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const sessions = new WeakMap<Page, CDPSession>();

/** What axe finds wrong, by rule. It goes in over the debugging protocol, because the page's policy lets no script in. */
export async function axeViolations(context: BrowserContext, page: Page): Promise<string[]> {
  // Not detached: that would take away the page's virtual authenticator, too.
  const session = sessions.get(page) ?? (await context.newCDPSession(page));
  sessions.set(page, session);
  // It stays as long as the document does.
  const { result: loaded } = await session.send('Runtime.evaluate', { expression: '"axe" in globalThis' });
  if (!loaded.value) await session.send('Runtime.evaluate', { expression: axeSource });
  const { result } = await session.send('Runtime.evaluate', {
    // What nobody reads is not made: a path to each element, and what passed.
    expression: `axe.run(document, {
        runOnly: ['wcag2a','wcag2aa','wcag21a','wcag21aa','wcag22aa','best-practice'],
        resultTypes: ['violations'], selectors: false, preload: false,
      })
      .then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | '))))`,
    awaitPromise: true,
    returnByValue: true,
  });
  return JSON.parse(String(result.value)) as string[];
}
