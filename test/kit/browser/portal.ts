import { afterAll, afterEach, beforeAll, describe, expect, jest } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { checkpointOfNow } from '../../../src/domain/activity-log/sequencing/checkpoint-of-now.js';
import type { SignedCheckpoint } from '../../../src/domain/activity-log/sequencing/checkpoints.js';
import { startTestApp, type TestApp } from '../app.js';
import { axeViolations, CHROMIUM, launchChromium, NO_CHROMIUM } from './chromium.js';
import { SEED_PASSWORD, type SeededUser } from '../seed.js';

/** One person with a browser. */
export interface Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Opens a place of the portal, such as `/organization/log`. */
  open(place: string): Promise<void>;
  signIn(user: SeededUser): Promise<void>;
  /** Opens a place with an existing session, as after a sign-in, without the form. */
  enter(user: SeededUser, place?: string): Promise<void>;
  /**
   * From now on, intercepts answers between the page and the gateway: `change` gets the data of each answer and the name of its
   * operation, and may change it like a hostile gateway.
   */
  betray(change: (operation: string, data: Answered, sent: Answered) => void): Promise<void>;
  /** The violations that axe finds on the current page. A test expects none. */
  accessibilityProblems(): Promise<string[]>;
  /** Hidden failures of the page: console errors and policy violations. */
  readonly broken: string[];
}

/** The data of an answer. The caller knows its shape. */
export type Answered = Record<string, unknown>;

/** The appearances in which every place, picture and dialog must work. */
export const LOOKS = [
  { colorScheme: 'light', forcedColors: 'none' },
  { colorScheme: 'dark', forcedColors: 'none' },
  { colorScheme: 'light', forcedColors: 'active' },
] as const;

/** The violations that axe finds in every appearance. A test of a state expects none. */
export async function problemsInEveryLook(visitor: Visitor): Promise<string[]> {
  const problems: string[] = [];
  for (const media of LOOKS) {
    await visitor.page.emulateMedia(media);
    const found = await visitor.accessibilityProblems();
    problems.push(...found.map((problem) => `${media.colorScheme}, ${media.forcedColors}: ${problem}`));
  }
  await visitor.page.emulateMedia(LOOKS[0]);
  return problems;
}

/** The value at a path of an answer. */
export const within = (data: unknown, ...path: readonly string[]): Answered =>
  path.reduce((value, member) => (value as Answered)[member], data) as Answered;

export interface PortalStory {
  readonly app: TestApp;
  visit(options?: BrowserContextOptions): Promise<Visitor>;
  /** A checkpoint of the organization's log that covers all earlier actions. */
  logged(): Promise<SignedCheckpoint>;
}

// The browser's console also shows refused requests. They are answers of the gateway, not faults of the page.
const isRefusal = (text: string) =>
  /Failed to load resource: the server responded with a status of (4\d\d|502|503)/.test(text);
const isOffline = (text: string) =>
  /net::ERR_(INTERNET_DISCONNECTED|CONNECTION_REFUSED|CONNECTION_RESET)|WebSocket connection/.test(text);

/** Waits until an expression is true in the page. Playwright's method evaluates text there, which the policy blocks. */
export async function until(page: Page, expression: string): Promise<void> {
  const giveUpAt = Date.now() + 120_000;
  while (!(await page.evaluate(expression))) {
    if (Date.now() > giveUpAt) throw new Error(`The page has not come to this: ${expression}`);
    await page.waitForTimeout(50);
  }
}

/** Waits until nothing in the page is loading. */
export const loaded = (page: Page): Promise<void> =>
  until(page, 'document.querySelector("[aria-busy=true]") === null');

/** Waits until a place shows its heading and has loaded. */
export async function settled({ page }: Pick<Visitor, 'page'>): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await loaded(page);
}

/** Everything that the page stored in the browser, by name, in all kinds of storage. */
async function storedIn(page: Page): Promise<string[]> {
  // As text, because this file has the types of Node but not those of a browser.
  const kept: unknown = await page.evaluate(`(async () => [
    ...Object.keys(localStorage), ...Object.keys(sessionStorage),
    ...(await indexedDB.databases()).map(({ name }) => 'database ' + name),
    ...(await caches.keys()).map((name) => 'cache ' + name),
    ...(await navigator.serviceWorker.getRegistrations()).map(({ scope }) => 'service worker ' + scope),
    ...document.cookie.split(';').filter(Boolean).map((cookie) => 'cookie ' + cookie),
  ])()`);
  return kept as string[];
}

/** The violations that axe finds on the pages that a visitor leaves open, with their addresses. */
async function problemsLeft(context: BrowserContext): Promise<string[]> {
  const problems: string[] = [];
  for (const page of context.pages()) {
    const { pathname } = new URL(page.url());
    if (!pathname.startsWith('/portal/')) continue;
    const found = await axeViolations(context, page);
    problems.push(...found.map((problem) => `${pathname}: ${problem}`));
  }
  return problems;
}

/** What the browser may store: settings and checkpoints. */
const KEPT = /^lucarne\.(settings|checkpoint\..+)$/;

/**
 * Tests in a real browser against the whole application. Each fails on a policy violation, a console error, a violation that axe
 * finds on a page that is left open, or anything left in the browser's storage. Without Chromium they are skipped, and one sentence reports it.
 */
export function portalStories(
  name: string,
  tell: (story: PortalStory) => void,
  environment: Record<string, string> = {},
): void {
  if (CHROMIUM === undefined) console.warn(NO_CHROMIUM);
  const telling = CHROMIUM === undefined ? describe.skip : describe;
  telling(name, () => {
    // A browser, a gateway and a ledger on a shared machine. No test depends on a time.
    jest.setTimeout(240_000);
    let app: TestApp | undefined;
    let browser: Browser | undefined;
    const visitors: Visitor[] = [];
    beforeAll(async () => {
      browser = await launchChromium();
      app = await startTestApp(environment);
    }, 480_000);
    afterEach(async () => {
      for (const { page, context, broken } of visitors.splice(0)) {
        const kept = page.isClosed() || page.url() === 'about:blank' ? [] : await storedIn(page);
        const problems = await problemsLeft(context);
        await context.unrouteAll({ behavior: 'ignoreErrors' });
        await context.close();
        expect(kept.filter((key) => !KEPT.test(key))).toEqual([]);
        expect(broken).toEqual([]);
        expect(problems).toEqual([]);
      }
    });
    afterAll(async () => {
      await browser?.close();
      await app?.[Symbol.asyncDispose]();
    });
    tell({
      get app() {
        if (!app) throw new Error('The application is there once a story has begun.');
        return app;
      },
      logged() {
        if (!app) throw new Error('The application is there once a story has begun.');
        const { url, application, organization } = app;
        const log = { organizationId: organization.organization.id, publicHost: new URL(url).host };
        return checkpointOfNow(application.foundation, log);
      },
      async visit(options = {}) {
        if (!browser || !app) throw new Error('The browser is there once a story has begun.');
        // Another host name of the same gateway, if a test needs one.
        const url = options.baseURL ?? app.url;
        const context = await browser.newContext({ locale: 'en-GB', ...options });
        const page = await context.newPage();
        page.setDefaultTimeout(80_000);
        const broken: string[] = [];
        page.on('console', (message) => {
          const text = message.text();
          // A built page writes nothing to the console, at any level.
          if (isRefusal(text) || isOffline(text)) return;
          broken.push(text);
        });
        page.on('pageerror', (error) => broken.push(error.message));
        page.on('request', (request) => {
          if (!/^(blob|data):/.test(request.url()) && new URL(request.url()).host !== new URL(url).host)
            broken.push(`asked another origin: ${request.url()}`);
        });
        // As text, because this file has the types of Node but not those of a browser.
        await context.addInitScript({
          content: `document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
            console.error(\`policy: \${violatedDirective} \${blockedURI}\`);
          });`,
        });
        const visitor: Visitor = {
          page,
          context,
          broken,
          async open(place) {
            await page.goto(`${url}/portal${place}`);
          },
          async signIn({ email }) {
            await page.goto(`${url}/portal/sign-in`);
            await page.getByLabel('E-mail address').fill(email);
            await page.getByLabel('Password').fill(SEED_PASSWORD);
            await page.getByRole('button', { name: 'Sign in', exact: true }).click();
            await page.waitForURL((url) => !url.pathname.endsWith('/sign-in'));
          },
          async enter(user, place = '/') {
            await context.addCookies([{ name: 'lucarne', value: user.sessionToken, url, httpOnly: true }]);
            await page.goto(`${url}/portal${place}`);
          },
          async betray(change) {
            await context.route('**/graphql', async (route) => {
              const { query = '', variables = {} } = route.request().postDataJSON() as Answered;
              const operation = /(?:query|mutation) (\w+)/.exec(query as string)?.[1] ?? '';
              try {
                const response = await route.fetch();
                const json = (await response.json()) as { data?: Answered };
                if (json.data) change(operation, json.data, variables as Answered);
                await route.fulfill({ response, json });
              } catch (thrown) {
                // The page navigated away and no longer waits for this answer.
                if (!/disposed|closed|Route is already handled/.test(String(thrown)))
                  broken.push(String(thrown));
              }
            });
          },
          accessibilityProblems: () => axeViolations(context, page),
        };
        visitors.push(visitor);
        return visitor;
      },
    });
  });
}
