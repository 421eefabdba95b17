import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { buildSchema } from 'graphql';
import { EDITOR_PAGE_POLICY, editorPage } from '../../../src/edge/graphql/editor-page.js';

const page = editorPage(buildSchema('type Query { "<script>alert(1)</script>" answer: Int }'));
const partsOf = (element: string) =>
  [...page.matchAll(new RegExp(`<${element}>([^]*?)</${element}>`, 'g'))].map(([, text = '']) => text);

describe('the GraphQL editor', () => {
  it('loads nothing from other hosts, and is small', () => {
    expect(page).not.toMatch(/<(link|img|iframe|base|object)|<script [^>]|@import|url\(|import\(| on\w+=/i);
    expect(page.length).toBeLessThan(10_000);
  });

  it('requires only production packages', () => {
    const source = readFileSync(new URL('../../../src/edge/graphql/editor-page.ts', import.meta.url), 'utf8');
    const { dependencies } = JSON.parse(
      readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
    ) as { dependencies: Record<string, string> };
    const imported = [...source.matchAll(/ from '([^']+)'/g)].map(([, name = '']) => name);
    expect(imported).not.toEqual([]);
    for (const name of imported) expect(name.startsWith('node:') || name in dependencies).toBe(true);
  });

  it('stores no input', () => {
    expect(page).not.toMatch(/localStorage|sessionStorage|indexedDB|document\.cookie|caches|history\./);
    expect(page).toContain('autocomplete="off"');
  });

  it('runs only its own script and style, and connects only to its own gateway', () => {
    const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    expect([partsOf('script').length, partsOf('style').length]).toEqual([1, 1]);
    expect(EDITOR_PAGE_POLICY.split('; ')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        `script-src ${hashOf(partsOf('script')[0]!)}`,
        `style-src ${hashOf(partsOf('style')[0]!)}`,
        "connect-src 'self'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(EDITOR_PAGE_POLICY).not.toContain('unsafe');
  });

  it('has a valid script', () => {
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- only compiled, never called
    expect(() => new Function(partsOf('script')[0]!)).not.toThrow();
  });

  it('shows the schema as text', () => {
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  });
});
