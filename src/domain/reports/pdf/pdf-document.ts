import PDFDocument from 'pdfkit';
import type { EmbeddedFont } from './pdf-fonts.js';
import { isStandard, printable, standsAlone, wrap } from './pdf-text.js';

/** A cell of a table; `muted` is said, and not a value. */
export type PdfCell = string | { readonly muted: string };

export interface PdfColumn {
  readonly title: string;
  /** Share of the table's width. */
  readonly share: number;
  readonly align?: 'right';
}

export interface PdfMetadata {
  readonly title: string;
  readonly subject: string;
  readonly author: string;
  readonly createdAt: Date;
  /** Stands at the foot of each page. */
  readonly footer: string;
}

type Layout = 'portrait' | 'landscape';
// A glyph that stands for several characters, or for a part of one, could not be copied as what was written.
const CHARACTER_BY_CHARACTER = { ccmp: false, liga: false, locl: false } as unknown as [];

/** Text in the font that was asked for, or its runs in those that hold it. */
type Line = string | readonly Run[];
interface Run {
  readonly font: string;
  text: string;
}

function runsOf(line: string, fontOf: (character: string) => string): readonly Run[] {
  const runs: Run[] = [];
  for (const character of line) {
    const last = runs.at(-1);
    const font = fontOf(character);
    if (last?.font === font) last.text += character;
    else runs.push({ font, text: character });
  }
  return runs;
}

type Font = 'Helvetica' | 'Helvetica-Bold' | 'Helvetica-Oblique' | 'Courier';

const SHORT_EDGE = 595.28;
const LONG_EDGE = 841.89;
const MARGIN = 48;
const FOOT = 40;
const INK = '#16202b';
const MUTED = '#5a6673';
const RULE = '#cfd6de';
const HEADER_FILL = '#e9eef4';
const CELL_SIZE = 7.5;
const CELL_LINE = 9.5;
const CELL_PADDING = 3;
const HELVETICA_ASCENDER = 0.718;
/** Room for the number of pages, which is drawn when it is known. */
const TOTAL_WIDTH = 24;

// pdfkit's own objects, which its types leave out.
interface PdfObject {
  write(text: string): void;
  end(): void;
}
interface Internals {
  ref(data: Record<string, unknown>): PdfObject;
  addContent(operators: string): void;
  readonly page: { readonly xobjects: Record<string, PdfObject> };
  readonly _font: { readonly font: { hasGlyphForCodePoint(code: number): boolean } };
}

/**
 * A paginated document that is written while its content comes: what is drawn can be taken out at once, and memory
 * holds a page of it. Text that the standard fonts do not hold is drawn in those of `fonts`; what none holds is replaced,
 * and counted.
 */
export function pdfWriter(
  { title, subject, author, createdAt, footer }: PdfMetadata,
  fonts: readonly EmbeddedFont[],
) {
  const document = new PDFDocument({
    autoFirstPage: false,
    margin: 0,
    lang: 'en',
    displayTitle: true,
    pdfVersion: '1.7',
    info: {
      Title: title,
      Subject: subject,
      Author: author,
      Creator: 'Lucarne',
      CreationDate: createdAt,
      ModDate: createdAt,
    },
  });
  const internals = document as unknown as Internals;
  // "Page 3 of 17" before 17 is known: each page shows one form (ISO 32000-1, 8.10) that is written last.
  const pageTotal = internals.ref({
    Type: 'XObject',
    Subtype: 'Form',
    BBox: [0, -4, TOTAL_WIDTH, 12],
    Resources: { Font: { F: fontObject(internals) } },
  });

  let pages = 0;
  let replaced = 0;
  let y = 0;
  let width = 0;
  let bottom = 0;
  const widths = new Map<string, Map<string, number>>();
  for (const { name, bytes } of fonts) document.registerFont(name, bytes);

  /** The embedded font that holds a character. */
  const holders = new Map<string, string | undefined>();
  const holderOf = (character: string): string | undefined => {
    if (!holders.has(character)) {
      const code = character.codePointAt(0) ?? 0;
      const isIn = ({ name }: EmbeddedFont) => {
        document.font(name);
        return internals._font.font.hasGlyphForCodePoint(code);
      };
      const found = character === ' ' || standsAlone(character) ? fonts.find(isIn) : undefined;
      holders.set(character, found?.name);
    }
    return holders.get(character);
  };
  const widthOf = (font: string, size: number) => {
    const known = widths.get(font) ?? new Map<string, number>();
    widths.set(font, known);
    return (character: string): number => {
      let ofOne = known.get(character);
      if (ofOne === undefined) {
        ofOne = document.font(font).fontSize(1).widthOfString(character);
        known.set(character, ofOne);
      }
      return ofOne * size;
    };
  };
  const linesOf = (text: string, font: Font, size: number, room: number): Line[] => {
    const shown = printable(text, (character) => holderOf(character) !== undefined);
    replaced += shown.replaced;
    if (isStandard(shown.text)) return wrap(shown.text, room, widthOf(font, size));
    // All of the text in one style: letters of two fonts in one word do not match.
    const fontOf = (character: string) => holderOf(character) ?? font;
    const lines = wrap(shown.text, room, (character) => widthOf(fontOf(character), size)(character));
    return lines.map((line) => runsOf(line, fontOf));
  };
  const draw = (line: Line, x: number, top: number, font: Font, size: number, color: string) => {
    let at = x;
    // Fonts have different ascenders: their base lines meet where the standard font's is.
    const baseLine = top + HELVETICA_ASCENDER * size;
    for (const { font: own, text } of typeof line === 'string' ? [{ font, text: line }] : line) {
      const isOwn = own === font;
      document.font(own).fontSize(size).fillColor(color);
      document.text(text, at, isOwn ? top : baseLine, {
        lineBreak: false,
        ...(isOwn ? {} : { baseline: 'alphabetic', features: CHARACTER_BY_CHARACTER }),
      });
      if (typeof line !== 'string') at += lineWidth(text, own, size);
    }
  };
  const lineWidth = (line: Line, font: string, size: number): number => {
    if (typeof line !== 'string')
      return line.reduce((sum, { text, font: own }) => sum + lineWidth(text, own, size), 0);
    let sum = 0;
    for (const character of line) sum += widthOf(font, size)(character);
    return sum;
  };

  const newPage = (layout: Layout): void => {
    document.addPage({ size: 'A4', layout, margin: 0 });
    pages += 1;
    const [across, down] =
      layout === 'portrait' ? [SHORT_EDGE, LONG_EDGE] : ([LONG_EDGE, SHORT_EDGE] as const);
    width = across - 2 * MARGIN;
    bottom = down - MARGIN - FOOT / 2;
    y = MARGIN;
    const foot = down - FOOT;
    rule(foot - 8);
    draw(footer, MARGIN, foot, 'Helvetica', 7.5, MUTED);
    const label = `Page ${pages} of`;
    const at = across - MARGIN - TOTAL_WIDTH;
    draw(label, at - lineWidth(label, 'Helvetica', 7.5), foot, 'Helvetica', 7.5, MUTED);
    internals.page.xobjects['PageTotal'] = pageTotal;
    // pdfkit turns the page upside down; a form has its origin below, on the base line of the label.
    const baseLine = foot + HELVETICA_ASCENDER * 7.5;
    internals.addContent(`q 1 0 0 -1 ${at.toFixed(2)} ${baseLine.toFixed(2)} cm /PageTotal Do Q`);
  };
  const rule = (at: number): void => {
    document
      .moveTo(MARGIN, at)
      .lineTo(MARGIN + width, at)
      .lineWidth(0.5)
      .strokeColor(RULE)
      .stroke();
  };
  const room = (height: number, layout: Layout): void => {
    if (y + height > bottom) newPage(layout);
  };
  const block = (text: string, font: Font, size: number, color: string, after: number, layout: Layout) => {
    const height = size * 1.35;
    for (const line of linesOf(text, font, size, width)) {
      room(height, layout);
      draw(line, MARGIN, y, font, size, color);
      y += height;
    }
    y += after;
  };

  return {
    newPage,
    /** Characters that the fonts do not hold, so far. */
    replaced: () => replaced,
    space: (height: number) => void (y += height),
    title: (text: string) => block(text, 'Helvetica-Bold', 22, INK, 4, 'portrait'),
    subtitle: (text: string) => block(text, 'Helvetica', 12, MUTED, 14, 'portrait'),
    heading(text: string, layout: Layout = 'portrait') {
      room(60, layout);
      block(text, 'Helvetica-Bold', 13, INK, 4, layout);
    },
    paragraph: (text: string) => block(text, 'Helvetica', 9.5, INK, 6, 'portrait'),
    /** Text whose line breaks count, such as a signed note. */
    verbatim(text: string) {
      for (const line of text.trimEnd().split('\n')) block(line, 'Courier', 7.5, INK, 0, 'portrait');
      y += 8;
    },
    /** Labels with what they say, in two columns. */
    facts(facts: readonly (readonly [label: string, value: string])[]) {
      const labelWidth = 140;
      for (const [label, value] of facts) {
        const lines = linesOf(value, 'Helvetica', 9.5, width - labelWidth);
        // A short one is kept together; a longer one continues on the next page.
        room(Math.min(lines.length, 6) * 13 + 4, 'portrait');
        draw(label, MARGIN, y, 'Helvetica', 9.5, MUTED);
        for (const line of lines) {
          room(13, 'portrait');
          draw(line, MARGIN + labelWidth, y, 'Helvetica', 9.5, INK);
          y += 13;
        }
        y += 3;
      }
      y += 8;
    },
    /** A table with its header on each page. A row that is longer than a page continues on the next. */
    table(columns: readonly PdfColumn[], layout: Layout) {
      const shares = columns.reduce((sum, { share }) => sum + share, 0);
      const place = () => {
        let left = MARGIN;
        return columns.map((column) => {
          const across = (column.share / shares) * width;
          left += across;
          return { ...column, left: left - across, across };
        });
      };
      const header = () => {
        document.rect(MARGIN, y, width, CELL_LINE + 2 * CELL_PADDING).fill(HEADER_FILL);
        for (const { title: name, left, across, align } of place()) {
          const own = lineWidth(name, 'Helvetica-Bold', CELL_SIZE);
          const x = align === 'right' ? left + across - CELL_PADDING - own : left + CELL_PADDING;
          draw(name, x, y + CELL_PADDING + 1, 'Helvetica-Bold', CELL_SIZE, INK);
        }
        y += CELL_LINE + 2 * CELL_PADDING;
      };
      room(80, layout);
      header();
      return {
        row: (cells: readonly PdfCell[]): void => {
          const placed = place().map((column, index) => {
            const cell = cells[index] ?? '';
            const [text, font, color] =
              typeof cell === 'string'
                ? ([cell, 'Helvetica', INK] as const)
                : ([cell.muted, 'Helvetica-Oblique', MUTED] as const);
            const lines = linesOf(text, font, CELL_SIZE, column.across - 2 * CELL_PADDING);
            return { ...column, lines, font, color };
          });
          const height = Math.max(...placed.map(({ lines }) => lines.length));
          for (let done = 0; done < height;) {
            const fits = Math.floor((bottom - y - 2 * CELL_PADDING) / CELL_LINE);
            // A short row is kept together.
            if (fits < Math.min(height - done, 6)) {
              newPage(layout);
              header();
              continue;
            }
            const count = Math.min(fits, height - done);
            for (const { lines, left, across, align, font, color } of placed) {
              lines.slice(done, done + count).forEach((line, at) => {
                const x =
                  align === 'right'
                    ? left + across - CELL_PADDING - lineWidth(line, font, CELL_SIZE)
                    : left + CELL_PADDING;
                draw(line, x, y + CELL_PADDING + at * CELL_LINE, font, CELL_SIZE, color);
              });
            }
            y += count * CELL_LINE + 2 * CELL_PADDING;
            rule(y);
            done += count;
          }
        },
        end: () => void (y += 14),
      };
    },
    /** The bytes that were made since the last time. */
    take(): Uint8Array {
      const taken: Uint8Array[] = [];
      for (let piece: unknown; (piece = document.read()) !== null;) taken.push(piece as Uint8Array);
      return Buffer.concat(taken);
    },
    /** Ends the document: what is left is there to be taken. */
    end(): void {
      const gray = '0.353 0.400 0.451 rg';
      pageTotal.write(`BT /F 7.5 Tf ${gray} 0 0 Td ( ${pages}) Tj ET`);
      pageTotal.end();
      document.end();
    },
  };
}

export type PdfWriter = ReturnType<typeof pdfWriter>;

function fontObject(internals: Internals): PdfObject {
  const font = internals.ref({
    Type: 'Font',
    Subtype: 'Type1',
    BaseFont: 'Helvetica',
    Encoding: 'WinAnsiEncoding',
  });
  font.end();
  return font;
}
