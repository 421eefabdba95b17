import { expect, it } from '@jest/globals';
import { portalStories, settled } from '../../kit/browser/portal.js';

/** Ways in which a script turns text into markup, code or the address of code. Code that runs sets `ran`. */
const SINKS: Readonly<Record<string, string>> = {
  innerHTML: `document.createElement('div').innerHTML = '<img src="x" onerror="ran = 1">'`,
  outerHTML: `document.body.appendChild(document.createElement('i')).outerHTML = '<b>x</b>'`,
  insertAdjacentHTML: `document.body.insertAdjacentHTML('beforeend', '<b>x</b>')`,
  'a fragment of a range': `document.createRange().createContextualFragment('<b>x</b>')`,
  'a parsed document': `new DOMParser().parseFromString('<b>x</b>', 'text/html')`,
  'document.write': `document.write('<b>x</b>')`,
  'the document of a frame': `document.createElement('iframe').srcdoc = '<b>x</b>'`,
  'the text of a script': `document.createElement('script').text = 'ran = 1'`,
  'the address of a script': `document.createElement('script').src = '/portal/assets/index.js'`,
  'the address of a worker': `new Worker('/portal/assets/index.js')`,
  'an attribute that is code': `document.body.setAttribute('onclick', 'ran = 1')`,
  eval: `(0, eval)('ran = 1')`,
  'a function from text': `new Function('ran = 1')()`,
  'a timer with text': `setTimeout('ran = 1')`,
  'another policy': `trustedTypes.createPolicy('other', { createHTML: (text) => text })`,
  'a second policy with the page’s name': `trustedTypes.createPolicy('lucarne', { createHTML: (text) => text })`,
  'a second default policy': `trustedTypes.createPolicy('default', { createHTML: (text) => text })`,
};

portalStories('Trusted Types in the portal', (story) => {
  it.each(['/sign-in', '/verify'])('let no text become markup or code on %s', async (place) => {
    const visitor = await story.visit();
    const { page, broken } = visitor;
    await visitor.open(place);
    await settled(visitor);
    expect(broken).toEqual([]);
    const outcomes: Record<string, unknown> = {};
    // In a task of the page: in the task of the debugger, the browser lets text become code.
    for (const [sink, use] of Object.entries(SINKS))
      outcomes[sink] = await page.evaluate(`new Promise((done) => setTimeout(() => {
        try { ${use}; done('allowed'); } catch { done('refused'); }
      }))`);
    expect(outcomes).toEqual(Object.fromEntries(Object.keys(SINKS).map((sink) => [sink, 'refused'])));
    // The browser reports each refusal to the console, where a story otherwise expects nothing.
    const refusals = () => broken.filter((text) => text.startsWith('policy: ')).length;
    while (refusals() < Object.keys(SINKS).length) await page.waitForTimeout(10);
    broken.splice(0);
    expect(await page.evaluate('globalThis.ran')).toBeUndefined();
  });
});
