import { type PdfFile, type PdfObject, referenceTo } from './pdf-file.js';

/** The standard structure types (ISO 32000-1, 14.8.4) that documents use. */
export type Role = 'Document' | 'H1' | 'H2' | 'P' | 'Table' | 'THead' | 'TBody' | 'TR' | 'TH' | 'TD';

/** An open part of the document. */
export interface Part {
  readonly object: PdfObject;
  readonly role: Role;
  readonly parent: Part | undefined;
  readonly attributes: string;
  /** The children so far: references to parts, and content by its number on a page. */
  readonly content: string[];
  /** The page of content that names no page. */
  page: PdfObject | undefined;
}

/** What a table header applies to. */
export type Scope = 'Column' | 'Row';

/**
 * The structure of a document (ISO 32000-1, 14.7), which determines what a screen reader reads, in which order. A part is
 * written when it is closed, so memory holds the open parts, and a reference for each page.
 */
export class PdfStructure {
  readonly root: Part;
  private readonly parentTree: string[] = [];
  /** The parts of the content on the page, in order. */
  private ofPage: string[] = [];
  private pages = 0;

  constructor(private readonly file: PdfFile) {
    this.root = this.part('Document', undefined, '');
  }

  open(parent: Part, role: Role): Part {
    return this.part(role, parent, '');
  }

  openHeading(parent: Part, scope: Scope): Part {
    return this.part('TH', parent, `/A<</O/Table/Scope/${scope}>>`);
  }

  close(part: Part): void {
    const { object, role, parent, attributes, content, page } = part;
    this.file.pack(
      object,
      `<</S/${role}/P ${referenceTo(parent?.object ?? this.file._root.data.StructTreeRoot)}${attributes}` +
        `${page ? `/Pg ${referenceTo(page)}` : ''}/K[${content.join(' ')}]>>`,
    );
  }

  /** Marks the output of `draw` on the page as content of a part. */
  content(part: Part, draw: () => void): void {
    const { dictionary } = this.file.page;
    const number = this.ofPage.length;
    this.ofPage.push(referenceTo(part.object));
    part.page ??= dictionary;
    part.content.push(
      part.page === dictionary
        ? String(number)
        : `<</Type/MCR/Pg ${referenceTo(dictionary)}/MCID ${number}>>`,
    );
    this.file.draw(`/${part.role}<</MCID ${number}>>BDC`);
    draw();
    this.file.draw('EMC');
  }

  /** Marks the output of `draw` as decoration, which a screen reader skips. */
  artifact(draw: () => void, type: 'Layout' | 'Pagination' = 'Layout'): void {
    this.file.draw(`/Artifact<</Type/${type}>>BDC`);
    draw();
    this.file.draw('EMC');
  }

  /** Call it after a page has begun. */
  beginPage(): void {
    this.endPage();
    // pdfkit sets the tab order (PDF/UA, 7.18.3).
    this.file.page.dictionary.data['StructParents'] = this.pages;
    this.pages += 1;
  }

  /** Closes the document. */
  end(): void {
    this.endPage();
    this.close(this.root);
    const tree = this.file.ref({});
    this.file.pack(tree, `<</Nums[${this.parentTree.join(' ')}]>>`);
    Object.assign(this.file._root.data.StructTreeRoot.data, {
      K: [this.root.object],
      ParentTree: tree,
      ParentTreeNextKey: this.pages,
    });
  }

  private endPage(): void {
    if (this.pages === 0) return;
    const parts = this.file.ref({});
    this.file.pack(parts, `[${this.ofPage.join(' ')}]`);
    this.parentTree.push(`${this.pages - 1} ${referenceTo(parts)}`);
    this.ofPage = [];
  }

  private part(role: Role, parent: Part | undefined, attributes: string): Part {
    const object = this.file.ref({});
    parent?.content.push(referenceTo(object));
    return { object, role, parent, attributes, content: [], page: undefined };
  }
}
