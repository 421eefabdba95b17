import type { PdfFile, PdfFont, PdfObject } from './pdf-file.js';
import type { EmbeddedFont, Style } from './pdf-fonts.js';
import { standsAlone } from './pdf-text.js';

interface Glyph {
  /** Its code in the font, as characters of a PDF string. */
  readonly code: string;
  /** In units of the text size. */
  readonly advance: number;
}

/** Text in one font. */
interface Run {
  readonly face: Typeface;
  text: string;
}

/** Text in the fonts that have its characters. */
export interface Line {
  readonly runs: readonly Run[];
  /** In units of the text size. */
  readonly width: number;
}

export interface Typeset {
  /** The width of a character in units of the text size. */
  readonly widthOf: (character: string) => number;
  readonly line: (part: string) => Line;
}

/** One font of a document. Each character is a separate glyph, so that it can be copied as it was written. */
class Typeface {
  private readonly glyphs = new Map<string, Glyph | undefined>();
  private opened: PdfFont | undefined;

  constructor(
    private readonly file: PdfFile,
    private readonly name: string,
  ) {}

  get font(): PdfFont {
    if (!this.opened) {
      this.file.font(this.name);
      this.opened = this.file._font;
      // A replacement must not be copied as a character (ISO 14289-1, 7.21.7).
      this.opened.unicode[0] = [0xfffd];
    }
    return this.opened;
  }

  /** Undefined for a character that the font lacks, or that needs shaping. */
  glyph(character: string): Glyph | undefined {
    if (!this.glyphs.has(character)) this.glyphs.set(character, this.find(character));
    return this.glyphs.get(character);
  }

  private find(character: string): Glyph | undefined {
    const code = character.codePointAt(0) ?? 0;
    const { font, scale, subset, widths, unicode } = this.font;
    if (!(character === ' ' || standsAlone(character)) || !font.hasGlyphForCodePoint(code)) return undefined;
    const { id, advanceWidth } = font.glyphForCodePoint(code);
    const number = subset.includeGlyph(id);
    widths[number] ??= advanceWidth * scale;
    unicode[number] ??= [code];
    return {
      code: escaped(String.fromCharCode(number >> 8, number & 0xff)),
      advance: (advanceWidth * scale) / 1000,
    };
  }
}

// ISO 32000-1, 7.3.4.2.
const escaped = (text: string) =>
  text.replaceAll(/[\\()]/g, String.raw`\$&`).replaceAll('\r', String.raw`\r`);

/** The fonts of a document. */
export class Typefaces {
  private readonly styles: Readonly<Record<Style, Typeface>>;
  private readonly others: readonly Typeface[];

  constructor(
    private readonly file: PdfFile,
    fonts: readonly EmbeddedFont[],
  ) {
    for (const { name, bytes } of fonts) file.registerFont(name, bytes);
    const faceOf = ({ name }: EmbeddedFont) => new Typeface(file, name);
    const styled = (style: Style) => {
      const font = fonts.find((each) => each.style === style);
      if (!font) throw new Error(`No font is ${style}.`);
      return faceOf(font);
    };
    this.styles = { regular: styled('regular'), bold: styled('bold'), italic: styled('italic') };
    this.others = fonts.filter(({ style }) => style === undefined).map(faceOf);
  }

  /** Whether any font has a character. */
  holds = (character: string): boolean => this.faceOf(character) !== undefined;

  /** Prepares a text. Its parts are then lines. */
  typeset(text: string, style: Style): Typeset {
    const styled = this.inStyle(text, style);
    const faceOf = (character: string) => styled ?? this.faceOf(character) ?? this.styles.regular;
    const widthOf = (character: string) => faceOf(character).glyph(character)?.advance ?? 0;
    return {
      widthOf,
      line: (part) => {
        const runs: Run[] = [];
        for (const character of part) {
          const face = faceOf(character);
          const last = runs.at(-1);
          if (last?.face === face) last.text += character;
          else runs.push({ face, text: character });
        }
        // A space at the end is written, and takes no room.
        return { runs, width: Array.from(part.trimEnd()).reduce((sum, each) => sum + widthOf(each), 0) };
      },
    };
  }

  /** Draws a line. The baseline begins at a point, measured from the top. */
  draw({ runs }: Line, x: number, baseLine: number, size: number, color: string): void {
    const shown = runs.map(({ face, text }) => {
      this.file.page.fonts[face.font.id] ??= face.font.ref();
      const codes = Array.from(text, (character) => face.glyph(character)?.code ?? '');
      return `/${face.font.id} ${size} Tf(${codes.join('')})Tj`;
    });
    // pdfkit flips the page vertically.
    this.file.draw(`BT ${color} rg 1 0 0 -1 ${x.toFixed(2)} ${baseLine.toFixed(2)} Tm ${shown.join(' ')} ET`);
  }

  /** Operators that show digits in the font `F`, and that font. */
  digits(text: string, size: number): { readonly operators: string; readonly font: PdfObject } {
    const { font } = this.styles.regular;
    const codes = Array.from(text, (character) => this.styles.regular.glyph(character)?.code ?? '');
    return { operators: `/F ${size} Tf(${codes.join('')})Tj`, font: font.ref() };
  }

  /** The font of the style, if it has all characters of the text: letters of two fonts in one word do not match. */
  private inStyle(text: string, style: Style): Typeface | undefined {
    const face = this.styles[style];
    for (const character of text) if (!face.glyph(character)) return undefined;
    return face;
  }

  private faceOf(character: string): Typeface | undefined {
    return [this.styles.regular, ...this.others].find((face) => face.glyph(character) !== undefined);
  }
}
