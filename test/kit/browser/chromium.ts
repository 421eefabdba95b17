import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';

const CANDIDATES = [
  process.env['CHROMIUM'],
  // The same browser without windows: the longest test file needed a seventh less CPU time.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The browser of this machine; `undefined` if there is none. Nothing is downloaded. */
export const CHROMIUM = CANDIDATES.find((file) => file !== undefined && existsSync(file));

export const NO_CHROMIUM =
  'Stories in a browser are skipped: no Chromium was found. Install one (Debian: apt-get install chromium), or name it in CHROMIUM.';

export async function launchChromium(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error(NO_CHROMIUM);
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const sessions = new WeakMap<Page, CDPSession>();

/**
 * Forms whose password no password manager can file: Chromium asks for the name of the account in a field before the password, and
 * says so on its console, but not without windows.
 */
const PASSWORDS_WITHOUT_NAME = `[...document.forms].flatMap((form) => {
  const fields = [...form.elements];
  const isPassword = ({ autocomplete }) => /^(current|new)-password$/.test(autocomplete);
  const first = fields.findIndex(isPassword);
  const isNamed = fields.slice(0, first).some(({ autocomplete }) => autocomplete === 'username');
  return first < 0 || isNamed ? [] : ['no username before the password: ' + fields[first].outerHTML.slice(0, 160)];
})`;

/**
 * The violations that axe finds, by rule. axe is injected with the debugging protocol, because the page's policy blocks
 * scripts.
 */
export async function axeViolations(context: BrowserContext, page: Page): Promise<string[]> {
  // Not detached, because that would also remove the page's virtual authenticator.
  const session = sessions.get(page) ?? (await context.newCDPSession(page));
  sessions.set(page, session);
  // It stays as long as the document exists.
  const { result: loaded } = await session.send('Runtime.evaluate', { expression: '"axe" in globalThis' });
  if (!loaded.value) await session.send('Runtime.evaluate', { expression: axeSource });
  const { result } = await session.send('Runtime.evaluate', {
    // Omits unused results: a path to each element, and passed checks.
    expression: `axe.run(document, {
        runOnly: ['wcag2a','wcag2aa','wcag21a','wcag21aa','wcag22aa','best-practice'],
        resultTypes: ['violations'], selectors: false, preload: false,
      })
      .then(({ violations }) => JSON.stringify([
        ...violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | ')),
        ...(${PASSWORDS_WITHOUT_NAME}),
      ]))`,
    awaitPromise: true,
    returnByValue: true,
  });
  return JSON.parse(String(result.value)) as string[];
}
