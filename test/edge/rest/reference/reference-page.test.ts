import { describe, expect, it } from '@jest/globals';
import { openApiDocument } from '../../../../src/edge/rest/reference/openapi.js';
import {
  referencePage,
  REFERENCE_PAGE_POLICY,
  type ReferenceDocument,
} from '../../../../src/edge/rest/reference/reference-page.js';
import { routes } from '../../../../src/edge/rest/routes.js';

const document = openApiDocument() as unknown as ReferenceDocument;
const page = referencePage(document);

describe('the reference page', () => {
  it('describes every route', () => {
    for (const { method, path, summary } of routes) {
      expect(page).toContain(`<strong>${method}</strong> <code>${path}</code>`);
      expect(page).toContain(summary);
    }
  });

  it('loads and runs nothing', () => {
    expect(page).not.toMatch(/<script|<link|<img|<iframe|@import|url\(| on\w+=| style=/i);
    expect(page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    expect(REFERENCE_PAGE_POLICY).toContain("default-src 'none'");
    expect(REFERENCE_PAGE_POLICY).not.toContain('unsafe');
  });

  it('has a language, landmarks, one first-level heading, and no skipped heading level', () => {
    expect(page).toContain('<html lang="en">');
    for (const landmark of ['<header>', '<nav aria-label="Contents">', '<main id="content">']) {
      expect(page).toContain(landmark);
    }
    const levels = [...page.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level));
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    levels.forEach((level, index) => expect(level - (levels[index - 1] ?? 0)).toBeLessThanOrEqual(1));
  });

  it('gives every table a caption, column headers and row headers', () => {
    const tables = page.match(/<table>.*?<\/table>/gs) ?? [];
    expect(tables.length).toBeGreaterThan(0);
    for (const table of tables) {
      expect(table).toMatch(/<caption>.+<\/caption>/);
      expect(table).toContain('<th scope="col">');
      expect(table).toContain('<th scope="row">');
    }
  });

  it('has unique ids, and links only to existing ids', () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    const targets = [...page.matchAll(/ (?:href="#|aria-labelledby=")([^"]+)"/g)].map(([, target]) => target);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(targets));
  });

  it('escapes text of the document', () => {
    const hostile = { ...document, info: { ...document.info, title: '<script>alert("x")</script>' } };
    const shown = referencePage(hostile);
    expect(shown).not.toContain('<script>');
    expect(shown).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;');
  });
});
