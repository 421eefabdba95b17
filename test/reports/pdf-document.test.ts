import { describe, expect, it } from '@jest/globals';
import { getDocumentProxy } from 'unpdf';
import { newId } from '../../src/kernel/ids.js';
import { pdfWriter } from '../../src/reports/pdf-document.js';

const FOOT_OF_TEXT = 48;

/** What each page shows, without the foot, and how low it goes. */
async function pagesOf(bytes: Uint8Array): Promise<{ text: string; lowest: number }[]> {
  const pdf = await getDocumentProxy(new Uint8Array(bytes));
  const pages = [];
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const { items } = await (await pdf.getPage(number)).getTextContent();
    const drawn = items
      .flatMap((item) => ('str' in item ? [{ text: item.str, y: (item.transform as number[])[5]! }] : []))
      .filter(({ text }) => !/^(a footer|Page \d+ of| ?\d+)?$/.test(text.trim()));
    pages.push({
      text: drawn.map(({ text }) => text).join(' '),
      lowest: Math.min(...drawn.map(({ y }) => y)),
    });
  }
  return pages;
}

describe('a document', () => {
  it('goes on on the next page with what is longer than one, and nothing falls off it', async () => {
    const pdf = pdfWriter({
      ...{ title: 'Title', subject: 'Subject', author: 'Author', footer: 'a footer' },
      createdAt: new Date(0),
    });
    const ids = Array.from({ length: 1000 }, () => newId('ast'));
    pdf.newPage('portrait');
    pdf.facts([
      ['Before', 'short'],
      ['Assets', ids.join(', ')],
      ['After', 'behind them'],
    ]);
    pdf.end();
    const pages = await pagesOf(pdf.take());
    expect(pages.length).toBeGreaterThan(3);
    for (const { lowest } of pages) expect(lowest).toBeGreaterThan(FOOT_OF_TEXT);
    const shown = pages.map(({ text }) => text).join(' ');
    expect(ids.filter((id) => !shown.includes(id))).toEqual([]);
    expect(shown).toContain('behind them');
  });
});
