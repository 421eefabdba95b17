import { describe, expect, it } from '@jest/globals';
import { getDocumentProxy } from 'unpdf';
import { newId } from '../../../src/platform/kernel/ids.js';
import { loadFonts } from '../../../src/domain/reports/pdf/pdf-fonts.js';
import { pdfWriter } from '../../../src/domain/reports/pdf/pdf-document.js';

const FOOT_OF_TEXT = 48;

/** The text of each page without the footer, and its lowest position. */
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

const METADATA = {
  ...{ title: 'Title', subject: 'Subject', author: 'Author', footer: 'a footer' },
  createdAt: new Date(0),
};

describe('a PDF document', () => {
  it.each([
    '啓䑃',
    'Łukasz Őrségi, Đặng Thị Nguyễn',
    'Александр Ђорђевић, Αλέξανδρος Ὀδυσσεύς',
    '東京 カナ ひらがな 한글 ԲԳԴ ქართ',
    'Zoë — “plain”, 5 € and ∑ ≠ ☃',
  ])('shows “%s” as it was written, whole, and a reader can copy it', async (text) => {
    const pdf = pdfWriter(METADATA, await loadFonts());
    pdf.newPage('portrait');
    pdf.facts([['Symbol', text]]);
    const table = pdf.table([{ title: 'Name', share: 1, align: 'right' }], 'portrait');
    table.row([text]);
    table.end();
    expect(pdf.replaced()).toBe(0);
    await pdf.end();
    const [page] = await pagesOf(pdf.take());
    const [, before = '', after = ''] = /^Symbol(.*)Name(.*)$/.exec(page?.text ?? '') ?? [];
    const bare = (shown: string) => shown.normalize('NFC').replaceAll(/\s/g, '');
    expect([bare(before), bare(after)]).toEqual([bare(text), bare(text)]);
  });

  it('replaces and counts characters that need shaping or run right to left', async () => {
    const pdf = pdfWriter(METADATA, await loadFonts());
    pdf.newPage('portrait');
    pdf.facts([['Name', 'علي and שלום and \u202edlog\u202c']]);
    expect(pdf.replaced()).toBe(9);
    await pdf.end();
    const [page] = await pagesOf(pdf.take());
    expect(page?.text.replaceAll(/\s+/g, ' ')).toBe('Name ??? and ???? and ?dlog?');
  });

  it('shows the symbol of a foreign asset in a column title as elsewhere', async () => {
    const symbol = 'U\u200bS\u202eD';
    const pdf = pdfWriter(METADATA, await loadFonts());
    pdf.newPage('portrait');
    pdf.paragraph(symbol);
    const table = pdf.table([{ title: `Amount in ${symbol}`, share: 1 }], 'portrait');
    table.row(['one']);
    table.end();
    expect(pdf.replaced()).toBe(4);
    await pdf.end();
    const [page] = await pagesOf(pdf.take());
    expect(page?.text.replaceAll(/\s+/g, ' ')).toBe('U?S?D Amount in U?S?D one');
  });

  it('uses fonts without glyph names, which are slow to load and not needed', async () => {
    for (const { bytes } of await loadFonts()) {
      const at = bytes.indexOf('post', 0, 'latin1');
      expect(bytes.readUInt32BE(bytes.readUInt32BE(at + 8))).toBe(0x00_03_00_00);
      expect(bytes.readUInt32BE(at + 12)).toBe(32);
    }
  });

  it('embeds only the fonts that it uses', async () => {
    const pdf = pdfWriter(METADATA, await loadFonts());
    pdf.newPage('portrait');
    pdf.paragraph('Zoë Müller');
    await pdf.end();
    const file = Buffer.from(pdf.take()).toString('latin1');
    expect(file.match(/\/FontFile2/g)).toHaveLength(1);
    expect(file).not.toContain('/Type1');
  });

  it('continues long content on the next page, and loses nothing', async () => {
    const pdf = pdfWriter(METADATA, await loadFonts());
    const ids = Array.from({ length: 1000 }, () => newId('ast'));
    pdf.newPage('portrait');
    pdf.facts([
      ['Before', 'short'],
      ['Assets', ids.join(', ')],
      ['After', 'after them'],
    ]);
    await pdf.end();
    const pages = await pagesOf(pdf.take());
    expect(pages.length).toBeGreaterThan(3);
    for (const { lowest } of pages) expect(lowest).toBeGreaterThan(FOOT_OF_TEXT);
    const shown = pages.map(({ text }) => text).join(' ');
    expect(ids.filter((id) => !shown.includes(id))).toEqual([]);
    expect(shown).toContain('after them');
  });
});
