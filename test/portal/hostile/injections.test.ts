import { beforeAll, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { portalStories, settled, type Visitor } from '../../kit/browser/portal.js';
import { everyPlace } from '../places/every-place.js';
import { openDesk, type Desk } from '../kit.js';

/** What a person could write as a name or a reason, so that the page makes more of it than text. */
const INJECTIONS = [
  'javascript:top.injected=1//injected',
  '//injected.example/portal',
  '\\\\injected.example',
  'red;background:url(//injected.example/x)}*{color:red',
  '"><style>@import "//injected.example"</style>',
  'x" onfocus="injected=1" autofocus id="root" name="location',
  'root',
  '__proto__',
  'constructor',
  'injected\u200b\u202e\u2066',
];
/** Members of answers that people write. */
const WRITTEN =
  /^(name|email|reason|purpose|symbol|externalReference|workspaceId|creatorAuthority|key|text|userAgent|decisionReason|uri|statusUrl|organizationName|holdReason)$/;

/** The places that show no text that a person wrote. On all others the page must have shown an injection. */
const WITHOUT_WRITTEN_TEXT = ['/verify', '/help', '/relay', '/nowhere'];
/** The text that the page shows inside its frame, and what its fields contain. */
const TEXT_OF_MAIN = `[
  document.querySelector('main').textContent,
  ...[...document.querySelectorAll('main input, main textarea')].map((field) => field.value),
].join(' ')`;

portalStories('texts that are more than text, in the portal', (story) => {
  let desk: Desk;
  let places: readonly string[];
  beforeAll(async () => {
    desk = await openDesk(story.app);
    places = await everyPlace(story.app, desk);
  });

  /** Writes an injection into each written text, and members that would change the prototype of every object. */
  const inject = (visitor: Visitor) => {
    let count = 0;
    const changed = (value: unknown, member = ''): unknown => {
      if (typeof value === 'string' && WRITTEN.test(member))
        return INJECTIONS[(count += 1) % INJECTIONS.length];
      if (Array.isArray(value)) return value.map((one) => changed(one));
      if (value === null || typeof value !== 'object') return value;
      const members = Object.entries(value).map(([key, one]): [string, unknown] => [key, changed(one, key)]);
      const made = Object.fromEntries(members);
      Object.defineProperty(made, '__proto__', { value: { polluted: 1 }, enumerable: true });
      return { ...made, constructor: { prototype: { polluted: 1 } } };
    };
    return visitor.betray((_, data) => {
      for (const [root, value] of Object.entries(data)) data[root] = changed(value, root);
    });
  };

  it('never become a link, a style, an attribute, an id or a prototype', async () => {
    const visitor = await story.visit();
    await inject(visitor);
    const found: Record<string, unknown> = {};
    const shown = new Set<string>();
    const withoutText: string[] = [];
    for (const place of places) {
      await visitor.enter(desk.everything, place);
      await settled(visitor);
      await visitor.page.evaluate(
        `document.querySelectorAll('details').forEach((details) => (details.open = true))`,
      );
      const text = await visitor.page.evaluate<string>(TEXT_OF_MAIN);
      const seen = INJECTIONS.filter((injection) => text.includes(injection));
      for (const injection of seen) shown.add(injection);
      if (seen.length === 0) withoutText.push(place.split('#')[0]!);
      const wrong = await visitor.page.evaluate(`(() => {
        const wrong = [];
        const isOwn = (url) => /^(blob:|otpauth:)/.test(url) || new URL(url, location.href).origin === location.origin;
        for (const element of document.querySelectorAll('*'))
          for (const { name, value } of element.attributes) {
            const where = element.tagName + ' ' + name + '=' + value;
            if (/^(href|src|action|formaction|srcset|poster|data|xlink:href)$/.test(name) && !/^data:image/.test(value) && !isOwn(value)) wrong.push(where);
            if (/^on/.test(name)) wrong.push(where);
            if (/^(id|name|class|for|style|slot|target|rel)$/.test(name) && /injected|__proto__|constructor/.test(value)) wrong.push(where);
          }
        if (document.querySelectorAll('#root').length !== 1) wrong.push('another #root');
        for (const name of ['polluted', 'injected']) if (({})[name] !== undefined || globalThis[name] !== undefined) wrong.push(name);
        return wrong;
      })()`);
      if ((wrong as string[]).length > 0) found[place] = wrong;
      // An answer that cannot be read fails, and the page reports it.
      visitor.broken.splice(0);
    }
    expect(found).toEqual({});
    expect(withoutText).toEqual(WITHOUT_WRITTEN_TEXT);
    expect([...shown].sort()).toEqual([...INJECTIONS].sort());
  }, 480_000);

  it('is not shown in a frame of another page, and a page that opens it gets no hold of it', async () => {
    const other = createServer((_, answer) => {
      answer.setHeader('content-type', 'text/html');
      answer.end(`<iframe src="${story.app.url}/portal/sign-in"></iframe>`);
    });
    await new Promise<void>((resolve) => void other.listen(0, 'localhost', resolve));
    try {
      const visitor = await story.visit();
      const { page } = visitor;
      await page.goto(`http://localhost:${(other.address() as AddressInfo).port}/`);
      await page.waitForTimeout(1_000);
      const framed = page.frames().filter((frame) => frame !== page.mainFrame());
      expect(framed.map((frame) => frame.url())).not.toContain(`${story.app.url}/portal/sign-in`);
      const opening = visitor.context.waitForEvent('page');
      await page.evaluate(`globalThis.opened = open(${JSON.stringify(`${story.app.url}/portal/sign-in`)})`);
      const opened = await opening;
      await opened.getByRole('heading', { level: 1 }).waitFor();
      expect(await opened.evaluate('opener')).toBeNull();
      expect(await page.evaluate('opened.closed')).toBe(true);
      await opened.close();
      await page.goto(`${story.app.url}/portal/sign-in`);
      visitor.broken.splice(0);
    } finally {
      other.close();
    }
  });
});
