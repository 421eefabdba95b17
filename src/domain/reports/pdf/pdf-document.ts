import type { EmbeddedFont, Style } from './pdf-fonts.js';
import { PdfFile, type PdfMetadata } from './pdf-file.js';
import { type Part, PdfStructure, type Role } from './pdf-structure.js';
import { printable, wrap } from './pdf-text.js';
import { type Line, Typefaces } from './pdf-typefaces.js';

/** A cell of a table. `muted` marks a note in place of a value. */
export type PdfCell = string | { readonly muted: string };

export interface PdfColumn {
  readonly title: string;
  /** Share of the table's width. */
  readonly share: number;
  readonly align?: 'right';
}

type Layout = 'portrait' | 'landscape';

const MARGIN = 48;
const FOOT = 40;
// Colors as PDF operators expect them.
const INK = '0.086 0.125 0.169';
const MUTED = '0.353 0.400 0.451';
const RULE = '0.812 0.839 0.871';
const HEADER_FILL = '0.914 0.933 0.957';
const CELL_SIZE = 7;
const CELL_LINE = 9.5;
const CELL_PADDING = 3;
const FOOT_SIZE = 7.5;
/** The distance from the top of a line to its baseline, as a share of the text size. */
const BASE_LINE = 0.72;
/** Space for the total number of pages, which is drawn when it is known. */
const TOTAL_WIDTH = 24;

/**
 * A paginated document that is written as its content arrives: finished output can be taken out at any time, and memory
 * holds about a page. It follows PDF/UA (ISO 14289-1): everything drawn is in the document's structure or marked as
 * decoration, and all fonts are embedded. Characters that no font has are replaced, and counted.
 */
export function pdfWriter(
  { footer, ...metadata }: PdfMetadata & { /** Stands at the foot of each page. */ readonly footer: string },
  fonts: readonly EmbeddedFont[],
) {
  const file = new PdfFile(metadata);
  const structure = new PdfStructure(file);
  const faces = new Typefaces(file, fonts);
  // The label “Page 3 of 17” is needed before 17 is known, so each page shows a form (ISO 32000-1, 8.10), written last.
  const pageTotal = file.ref({ Type: 'XObject', Subtype: 'Form', BBox: [0, -4, TOTAL_WIDTH, 12] });

  let pages = 0;
  let replaced = 0;
  let y = 0;
  let width = 0;
  let bottom = 0;

  const shownAs = (text: string): string => {
    const shown = printable(text, faces.holds);
    replaced += shown.replaced;
    return shown.text;
  };
  const linesOf = (text: string, style: Style, size: number, room: number): Line[] => {
    const shown = shownAs(text);
    const { widthOf, line } = faces.typeset(shown, style);
    return wrap(shown, room / size, widthOf).map(line);
  };
  const draw = (line: Line, x: number, top: number, size: number, color: string) =>
    faces.draw(line, x, top + BASE_LINE * size, size, color);
  /** Text that fits on its line. */
  const lineOf = (text: string, style: Style): Line => {
    const shown = shownAs(text);
    return faces.typeset(shown, style).line(shown);
  };

  const footLine = lineOf(footer, 'regular');
  const newPage = (layout: Layout): void => {
    file.newPage(layout);
    structure.beginPage();
    pages += 1;
    const { width: across, height: down } = file.page;
    width = across - 2 * MARGIN;
    bottom = down - MARGIN - FOOT / 2;
    y = MARGIN;
    const foot = down - FOOT;
    rule(foot - 8);
    const label = lineOf(`Page ${pages} of `, 'regular');
    const at = across - MARGIN - TOTAL_WIDTH;
    file.page.xobjects['PageTotal'] = pageTotal;
    structure.artifact(() => {
      draw(footLine, MARGIN, foot, FOOT_SIZE, MUTED);
      draw(label, at - label.width * FOOT_SIZE - 2, foot, FOOT_SIZE, MUTED);
      // The origin of a form is below it, on the baseline of the label.
      const baseLine = foot + BASE_LINE * FOOT_SIZE;
      file.draw(`q 1 0 0 -1 ${at.toFixed(2)} ${baseLine.toFixed(2)} cm /PageTotal Do Q`);
    }, 'Pagination');
  };
  const rule = (at: number): void =>
    structure.artifact(() =>
      file.draw(
        `0.5 w ${RULE} RG ${MARGIN} ${at.toFixed(2)} m ${(MARGIN + width).toFixed(2)} ${at.toFixed(2)} l S`,
      ),
    );
  const room = (height: number, layout: Layout): void => {
    if (y + height > bottom) newPage(layout);
  };
  const block = (
    role: Role,
    text: string,
    [style, size, color]: readonly [style: Style, size: number, color: string],
    after: number,
    layout: Layout = 'portrait',
  ) => {
    const height = size * 1.35;
    const part = structure.open(structure.root, role);
    for (const line of linesOf(text, style, size, width)) {
      room(height, layout);
      structure.content(part, () => draw(line, MARGIN, y, size, color));
      y += height;
    }
    structure.close(part);
    y += after;
  };

  return {
    newPage,
    /** The number of characters so far that no font has. */
    replaced: () => replaced,
    space: (height: number) => void (y += height),
    title: (text: string) => block('H1', text, ['bold', 22, INK], 4),
    subtitle: (text: string) => block('P', text, ['regular', 12, MUTED], 14),
    heading(text: string, layout: Layout = 'portrait') {
      room(60, layout);
      block('H2', text, ['bold', 13, INK], 4, layout);
    },
    paragraph: (text: string) => block('P', text, ['regular', 9.5, INK], 6),
    /** Text whose line breaks matter, such as a signed note. */
    verbatim(text: string) {
      for (const line of text.trimEnd().split('\n')) block('P', line, ['regular', 8, INK], 0);
      y += 8;
    },
    /** Labels and values in two columns. */
    facts(facts: readonly (readonly [label: string, value: string])[]) {
      const labelWidth = 140;
      const table = structure.open(structure.root, 'Table');
      for (const [label, value] of facts) {
        const lines = linesOf(value, 'regular', 9.5, width - labelWidth);
        // A short section is kept together. A longer one continues on the next page.
        room(Math.min(lines.length, 6) * 13 + 4, 'portrait');
        const row = structure.open(table, 'TR');
        const heading = structure.openHeading(row, 'Row');
        structure.content(heading, () => draw(lineOf(label, 'regular'), MARGIN, y, 9.5, MUTED));
        structure.close(heading);
        const cell = structure.open(row, 'TD');
        for (const line of lines) {
          room(13, 'portrait');
          structure.content(cell, () => draw(line, MARGIN + labelWidth, y, 9.5, INK));
          y += 13;
        }
        structure.close(cell);
        structure.close(row);
        y += 3;
      }
      structure.close(table);
      y += 8;
    },
    /**
     * A table with its header on each page. A row that is longer than a page continues on the next. The rows that begin on
     * one page form one part of the structure, so that memory holds no list of all rows.
     */
    table(columns: readonly PdfColumn[], layout: Layout) {
      const shares = columns.reduce((sum, { share }) => sum + share, 0);
      const titles = columns.map(({ title }) => lineOf(title, 'bold'));
      const place = () => {
        let left = MARGIN;
        return columns.map((column) => {
          const across = (column.share / shares) * width;
          left += across;
          return { ...column, left: left - across, across };
        });
      };
      type Place = ReturnType<typeof place>[number];
      const drawIn = ({ left, across, align }: Place, line: Line, top: number, color: string) => {
        const right = left + across - CELL_PADDING - line.width * CELL_SIZE;
        draw(line, align === 'right' ? right : left + CELL_PADDING, top, CELL_SIZE, color);
      };
      const header = (drawTitle: (drawn: () => void) => void) => {
        const height = CELL_LINE + 2 * CELL_PADDING;
        structure.artifact(() =>
          file.draw(`${HEADER_FILL} rg ${MARGIN} ${y.toFixed(2)} ${width.toFixed(2)} ${height} re f`),
        );
        place().forEach((column, index) => {
          const title = titles[index];
          if (title) drawTitle(() => drawIn(column, title, y + CELL_PADDING + 1, INK));
        });
        y += height;
      };
      room(80, layout);
      const table = structure.open(structure.root, 'Table');
      const head = structure.open(table, 'THead');
      const titleRow = structure.open(head, 'TR');
      header((drawn) => {
        const heading = structure.openHeading(titleRow, 'Column');
        structure.content(heading, drawn);
        structure.close(heading);
      });
      structure.close(titleRow);
      structure.close(head);
      let body: { readonly part: Part; readonly page: number } | undefined;
      const rowsOfPage = (): Part => {
        if (body && body.page !== pages) {
          structure.close(body.part);
          body = undefined;
        }
        body ??= { part: structure.open(table, 'TBody'), page: pages };
        return body.part;
      };
      return {
        row: (cells: readonly PdfCell[]): void => {
          const placed = place().map((column, index) => {
            const cell = cells[index] ?? '';
            const [text, style, color] =
              typeof cell === 'string'
                ? ([cell, 'regular', INK] as const)
                : ([cell.muted, 'italic', MUTED] as const);
            return {
              column,
              lines: linesOf(text, style, CELL_SIZE, column.across - 2 * CELL_PADDING),
              color,
            };
          });
          const height = Math.max(...placed.map(({ lines }) => lines.length));
          let row: Part | undefined;
          const parts: Part[] = [];
          for (let done = 0; done < height;) {
            const fits = Math.floor((bottom - y - 2 * CELL_PADDING) / CELL_LINE);
            // A short row is kept together.
            if (fits < Math.min(height - done, 6)) {
              newPage(layout);
              header((drawn) => structure.artifact(drawn, 'Pagination'));
              continue;
            }
            const rowPart = (row ??= structure.open(rowsOfPage(), 'TR'));
            const count = Math.min(fits, height - done);
            placed.forEach(({ column, lines, color }, index) => {
              const part = (parts[index] ??= structure.open(rowPart, 'TD'));
              const shown = lines.slice(done, done + count);
              if (shown.length === 0) return;
              structure.content(part, () =>
                shown.forEach((line, at) => drawIn(column, line, y + CELL_PADDING + at * CELL_LINE, color)),
              );
            });
            y += count * CELL_LINE + 2 * CELL_PADDING;
            rule(y);
            done += count;
          }
          for (const part of parts) structure.close(part);
          if (row) structure.close(row);
        },
        end: () => {
          if (body) structure.close(body.part);
          structure.close(table);
          y += 14;
        },
      };
    },
    /** The bytes since the last call. */
    take(): Uint8Array {
      const taken: Uint8Array[] = [];
      for (let piece = file.read(); piece !== null; piece = file.read()) taken.push(piece);
      return Buffer.concat(taken);
    },
    /** Ends the document. The rest of the output can then be taken. */
    async end(): Promise<void> {
      const { operators, font } = faces.digits(String(pages), FOOT_SIZE);
      pageTotal.data['Resources'] = { Font: { F: font } };
      pageTotal.end(Buffer.from(`BT ${MUTED} rg ${operators} ET`, 'latin1'));
      structure.end();
      await file.close();
    },
  };
}

export type PdfWriter = ReturnType<typeof pdfWriter>;
