import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import PDFDocument from 'pdfkit';
import { timeSlices } from '../../../platform/jobs/index.js';

const deflated = promisify(deflate);

export interface PdfMetadata {
  readonly title: string;
  readonly subject: string;
  readonly author: string;
  readonly createdAt: Date;
}

/** An object of the file. */
export interface PdfObject {
  readonly id: number;
  readonly data: Record<string, unknown>;
  offset: number;
  end(bytes?: Uint8Array): void;
}

/** The reference by which other objects name it. */
export const referenceTo = ({ id }: PdfObject) => `${id} 0 R`;

/** A font of the file, which embeds the used glyphs. */
export interface PdfFont {
  readonly id: string;
  readonly font: {
    hasGlyphForCodePoint(code: number): boolean;
    glyphForCodePoint(code: number): { readonly id: number; readonly advanceWidth: number };
  };
  readonly scale: number;
  readonly subset: { includeGlyph(glyph: number): number };
  readonly widths: number[];
  readonly unicode: number[][];
  ref(): PdfObject;
}

// Members of pdfkit that its types omit.
interface Internals {
  readonly _root: PdfObject & { data: { StructTreeRoot: PdfObject } };
  readonly _info: PdfObject;
  readonly _id: Uint8Array;
  readonly _font: PdfFont;
  readonly _offset: number;
  readonly _offsets: readonly number[];
  readonly page: {
    readonly width: number;
    readonly height: number;
    readonly dictionary: PdfObject;
    readonly fonts: Record<string, PdfObject>;
    readonly xobjects: Record<string, PdfObject>;
    write(bytes: Uint8Array): void;
  };
  ref(data: Record<string, unknown>): PdfObject;
  font(name: string): void;
  registerFont(name: string, bytes: Buffer): void;
  addPage(options: { size: 'A4'; layout: 'portrait' | 'landscape'; margin: 0 }): void;
  read(): Uint8Array | null;
  end(): void;
  _write(data: string | Uint8Array): void;
  _refEnd(object: PdfObject): void;
}
const Base = PDFDocument as unknown as new (options: object) => Internals;

const MAX_PACKED = 256;
/** ISO 32000-1, 7.5.8.2: type, position and index of an object. */
const ENTRY_BYTES = { kind: 1, place: 4, index: 2 };
const ENTRY_LENGTH = ENTRY_BYTES.kind + ENTRY_BYTES.place + ENTRY_BYTES.index;
const ENTRIES_PER_STEP = 4096;

/**
 * The bytes of a document, which can be taken as soon as they are written. Small objects are packed into compressed streams
 * (ISO 32000-1, 7.5.7), and so is the table of all objects (7.5.8), because a document has an object for each cell.
 */
export class PdfFile extends Base {
  private packed: { readonly stream: PdfObject; readonly offsets: string[]; text: string } | undefined;
  private drawn: string[] = [];

  constructor(private readonly described: PdfMetadata) {
    super({
      ...{
        autoFirstPage: false,
        font: null,
        lang: 'en',
        displayTitle: true,
        tagged: true,
        pdfVersion: '1.7',
      },
      info: {
        Title: described.title,
        Subject: described.subject,
        Author: described.author,
        Creator: 'Lucarne',
        CreationDate: described.createdAt,
        ModDate: described.createdAt,
      },
    });
  }

  /** Adds operators to the page. */
  draw(operators: string): void {
    this.drawn.push(operators);
  }

  newPage(layout: 'portrait' | 'landscape'): void {
    this.writeDrawn();
    this.addPage({ size: 'A4', layout, margin: 0 });
  }

  /** Ends an object, with its text. */
  pack(object: PdfObject, text: string): void {
    const { stream, offsets } = (this.packed ??= {
      ...{ stream: this.ref({ Type: 'ObjStm' }), offsets: [], text: '' },
    });
    object.offset = packedPlace(stream.id, offsets.length);
    offsets.push(`${object.id} ${this.packed.text.length}`);
    this.packed.text += `${text}\n`;
    this._refEnd(object);
    if (offsets.length === MAX_PACKED) this.writePacked();
  }

  /** Writes the rest. The table of objects is compressed off the main thread. */
  async close(): Promise<void> {
    this.writeDrawn();
    this.writePacked();
    this.end();
    const id = this._offsets.length + 1;
    const begin = this._offset;
    const table = await deflated(await this.entries(begin));
    const fileId = `<${Buffer.from(this._id).toString('hex')}>`;
    const { kind, place, index } = ENTRY_BYTES;
    this._write(
      `${id} 0 obj\n<</Type/XRef/Size ${id + 1}/W[${kind} ${place} ${index}]/Root ${referenceTo(this._root)}/Info ${referenceTo(this._info)}` +
        `/ID[${fileId}${fileId}]/Filter/FlateDecode/Length ${table.length}>>\nstream`,
    );
    this._write(table);
    this._write(`\nendstream\nendobj\nstartxref\n${begin}\n%%EOF`);
  }

  /** Called by pdfkit after everything is written. {@link close} writes the table. */
  _finalize(): void {}

  /** Called by pdfkit. Its own metadata are not valid XML for a title with an ampersand. */
  endMetadata(): void {
    const metadata = this.ref({ Type: 'Metadata', Subtype: 'XML', Filter: undefined });
    Object.assign(metadata, { compress: false });
    this._root.data['Metadata'] = metadata;
    metadata.end(Buffer.from(xmpOf(this.described)));
  }

  private writeDrawn(): void {
    if (this.drawn.length > 0) this.page.write(Buffer.from(`${this.drawn.join('\n')}\n`, 'latin1'));
    this.drawn = [];
  }

  private writePacked(): void {
    if (!this.packed) return;
    const { stream, offsets, text } = this.packed;
    const head = `${offsets.join(' ')}\n`;
    Object.assign(stream.data, { N: offsets.length, First: head.length });
    stream.end(Buffer.from(head + text, 'latin1'));
    this.packed = undefined;
  }

  private async entries(tableAt: number): Promise<Buffer> {
    const total = this._offsets.length + 1;
    const entries = Buffer.alloc(ENTRY_LENGTH * (total + 1));
    const slice = timeSlices();
    // No object has the number 0.
    entries.writeUInt16BE(0xffff, ENTRY_BYTES.kind + ENTRY_BYTES.place);
    for (let id = 1; id <= total; id += 1) {
      const place = this._offsets[id - 1] ?? tableAt;
      const entry = ENTRY_LENGTH * id;
      const isPacked = place < 0;
      entries.writeUInt8(isPacked ? 2 : 1, entry);
      entries.writeUInt32BE(isPacked ? Math.floor(-place / MAX_PACKED) : place, entry + ENTRY_BYTES.kind);
      entries.writeUInt16BE(isPacked ? -place % MAX_PACKED : 0, entry + ENTRY_BYTES.kind + ENTRY_BYTES.place);
      if (id % ENTRIES_PER_STEP === 0) await slice();
    }
    return entries;
  }
}

/** The position of an object in its stream. Its sign distinguishes it from an offset in the file. */
const packedPlace = (stream: number, index: number) => -(stream * MAX_PACKED + index);

/** The metadata that declare ISO 14289-1 (PDF/UA), and the title (7.1). */
function xmpOf({ title, subject, author, createdAt }: PdfMetadata): string {
  const list = (kind: string, text: string, attribute = '') =>
    `<rdf:${kind}><rdf:li${attribute}>${escapeXml(text)}</rdf:li></rdf:${kind}>`;
  const language = ' xml:lang="x-default"';
  return [
    '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>',
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">',
    '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"',
    ' xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/">',
    `<dc:title>${list('Alt', title, language)}</dc:title>`,
    `<dc:description>${list('Alt', subject, language)}</dc:description>`,
    `<dc:creator>${list('Seq', author)}</dc:creator>`,
    `<xmp:CreateDate>${createdAt.toISOString()}</xmp:CreateDate>`,
    `<xmp:ModifyDate>${createdAt.toISOString()}</xmp:ModifyDate>`,
    '<xmp:CreatorTool>Lucarne</xmp:CreatorTool>',
    '<pdfuaid:part>1</pdfuaid:part>',
    '</rdf:Description></rdf:RDF></x:xmpmeta>',
    '<?xpacket end="w"?>',
  ].join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** XML 1.0, 2.2, excludes control characters, unpaired surrogates, U+FFFE and U+FFFF. */
const escapeXml = (text: string) =>
  text
    .replaceAll(/[&<>]/g, (character) => ENTITIES[character] ?? '')
    .replaceAll(/[^\P{Cc}\t\n\r]|[\p{Cs}\ufffe\uffff]/gu, ' ');
