import { describe, expect, it } from '@jest/globals';
import { getDocumentProxy } from 'unpdf';
import { loadFonts } from '../../../src/domain/reports/pdf/pdf-fonts.js';
import { pdfWriter, type PdfWriter } from '../../../src/domain/reports/pdf/pdf-document.js';

const METADATA = {
  ...{ title: 'Totals · A & B <Ltd>', subject: 'Subject', author: 'A & B <Ltd>', footer: 'a footer' },
  createdAt: new Date(0),
};
const COLUMNS = [
  { title: 'Name', share: 2 },
  { title: 'Amount', share: 1, align: 'right' as const },
];

async function write(draw: (pdf: PdfWriter) => void): Promise<Uint8Array> {
  const pdf = pdfWriter(METADATA, await loadFonts());
  draw(pdf);
  await pdf.end();
  return pdf.take();
}

interface Node {
  readonly role: string;
  readonly children: readonly (Node | { readonly type: string; readonly id: string })[];
}

/** What a screen reader reads on each page: roles with their text, and content without a role that is not decoration. */
async function readingOf(bytes: Uint8Array) {
  const pdf = await getDocumentProxy(new Uint8Array(bytes));
  const pages = [];
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent({ includeMarkedContent: true });
    const texts = new Map<string, string>();
    const open: string[] = [];
    const decoration: string[] = [];
    const untagged: string[] = [];
    for (const item of items) {
      if ('str' in item) {
        const inside = open.at(-1);
        if (inside === undefined) untagged.push(item.str);
        else if (inside === 'Artifact') decoration.push(item.str);
        else texts.set(inside, (texts.get(inside) ?? '') + item.str + (item.hasEOL ? ' ' : ''));
      } else if (item.type === 'endMarkedContent') open.pop();
      else {
        const { id, tag } = item as { id?: string; tag?: string };
        open.push(id ?? tag ?? '');
      }
    }
    const read = (node: Node): unknown[] =>
      node.children.flatMap((child): unknown[] =>
        'role' in child ? [[child.role, ...read(child)]] : [(texts.get(child.id) ?? 'missing').trim()],
      );
    const tree = (await page.getStructTree()) as Node | null;
    pages.push({
      tree: tree ? read(tree) : [],
      decoration: decoration.join('').replaceAll(' ', ''),
      untagged,
    });
  }
  return pages;
}

describe('the structure of a PDF document', () => {
  it('marks headings, paragraphs, labels, column headings and cells, in reading order', async () => {
    const [page] = await readingOf(
      await write((pdf) => {
        pdf.newPage('portrait');
        pdf.title('A title');
        pdf.heading('A heading');
        pdf.facts([['Label', 'Value']]);
        pdf.paragraph('Some words.');
        const table = pdf.table(COLUMNS, 'portrait');
        table.row(['Zoë Đặng', '842']);
        table.row([{ muted: 'restricted' }, '1']);
        table.end();
      }),
    );
    expect(page).toEqual({
      tree: [
        [
          'Document',
          ['H1', 'A title'],
          ['H2', 'A heading'],
          ['Table', ['TR', ['TH', 'Label'], ['TD', 'Value']]],
          ['P', 'Some words.'],
          [
            'Table',
            ['THead', ['TR', ['TH', 'Name'], ['TH', 'Amount']]],
            ['TBody', ['TR', ['TD', 'Zoë Đặng'], ['TD', '842']], ['TR', ['TD', 'restricted'], ['TD', '1']]],
          ],
        ],
      ],
      decoration: 'afooterPage1of1',
      untagged: [],
    });
  });

  it('continues over pages: each row once, and repeated headings as decoration', async () => {
    const rows = 120;
    const long = 'word '.repeat(2_000).trim();
    const pages = await readingOf(
      await write((pdf) => {
        pdf.newPage('portrait');
        const table = pdf.table(COLUMNS, 'portrait');
        for (let row = 0; row < rows; row += 1) table.row([`row ${row}`, String(row)]);
        table.row([long, 'the last']);
        table.end();
      }),
    );
    expect(pages.length).toBeGreaterThan(4);
    const all = JSON.stringify(pages.map(({ tree }) => tree));
    for (let row = 0; row < rows; row += 1) expect(all.split(`["TD","row ${row}"]`)).toHaveLength(2);
    // A screen reader reads the words of a cell that continues on other pages, and joins none.
    const words = pages.flatMap(({ tree }) => JSON.stringify(tree).match(/w\w*d\w*/g) ?? []);
    expect(words).toEqual(long.split(' '));
    expect(all.match(/"TH","Name"/g)).toHaveLength(1);
    for (const { decoration, untagged } of pages) {
      expect(untagged).toEqual([]);
      expect(decoration).toMatch(/Page\d+of/);
    }
    for (const { decoration } of pages.slice(1)) expect(decoration).toContain('NameAmount');
  });

  it('gives the scope of table headings', async () => {
    const pdf = await getDocumentProxy(
      new Uint8Array(
        await write((each) => {
          each.newPage('portrait');
          each.facts([['Label', 'Value']]);
          each.table(COLUMNS, 'portrait').end();
        }),
      ),
    );
    expect(await pdf.getMarkInfo()).toMatchObject({ Marked: true });
    const file = Buffer.from(await pdf.getData());
    const { inflateSync } = await import('node:zlib');
    const packed = [
      ...file.toString('latin1').matchAll(/\/Type \/ObjStm[\s\S]*?stream\n([\s\S]*?)\nendstream/g),
    ]
      .map(([, stream = '']) => inflateSync(Buffer.from(stream, 'latin1')).toString('latin1'))
      .join('');
    expect(packed.match(/\/S\/TH.*?\/Scope\/(Row|Column)/g)).toHaveLength(3);
    expect(packed.match(/\/S\/TH\b/g)).toHaveLength(3);
  });

  it('is written with the document, so that memory does not hold all cells', async () => {
    const rows = 2_000;
    const pdf = pdfWriter(METADATA, await loadFonts());
    pdf.newPage('portrait');
    const table = pdf.table(COLUMNS, 'portrait');
    for (let row = 0; row < rows; row += 1) table.row([`row ${row}`, String(row)]);
    const written = Buffer.from(pdf.take()).toString('latin1');
    const packed = [...written.matchAll(/\/N (\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
    // A row and its two cells. The last ones wait for their stream.
    expect(packed).toBeGreaterThan(3 * rows - 256);
  });

  it('states in its metadata that it follows PDF/UA, and the metadata is valid XML for any title', async () => {
    const pdf = await getDocumentProxy(new Uint8Array(await write((each) => each.newPage('portrait'))));
    const { info, metadata } = await pdf.getMetadata();
    expect(info).toMatchObject({ Title: METADATA.title, Language: 'en' });
    expect(metadata.get('dc:title')).toBe(METADATA.title);
    expect(metadata.get('pdfuaid:part')).toBe('1');
  });

  it('omits from its metadata the title characters that XML cannot contain', async () => {
    const title = 'a\u0000b\ufffec\uffffd\ufffd';
    const pdf = pdfWriter({ ...METADATA, title }, await loadFonts());
    pdf.newPage('portrait');
    await pdf.end();
    const [, shown] = /<dc:title>.*?<rdf:li[^>]*>(.*?)</.exec(Buffer.from(pdf.take()).toString('utf8')) ?? [];
    expect(shown).toBe('a b c d\ufffd');
  });
});
