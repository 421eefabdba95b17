import { type PdfFile, type PdfObject, referenceTo } from './pdf-file.js';

/** The standard structure types (ISO 32000-1, 14.8.4) that documents have. */
export type Role = 'Document' | 'H1' | 'H2' | 'P' | 'Table' | 'THead' | 'TBody' | 'TR' | 'TH' | 'TD';

/** A part of the document that is still written. */
export interface Part {
  readonly object: PdfObject;
  readonly role: Role;
  readonly parent: Part | undefined;
  readonly attributes: string;
  /** The children so far: references to parts, and content by its number on a page. */
  readonly content: string[];
  /** The page of the content that names none. */
  page: PdfObject | undefined;
}

/** What a heading of a table is for. */
export type Scope = 'Column' | 'Row';

/**
 * The structure of a document (ISO 32000-1, 14.7), which says what a screen reader reads in which order. A part is
 * written when it is closed: memory holds the open ones, and a reference for each page.
 */
export class PdfStructure {
  readonly root: Part;
  private readonly parentTree: string[] = [];
  /** The part of each content of the page, in order. */
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

  /** Marks what `draw` draws on the page as content of a part. */
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

  /** Marks what `draw` draws as no content: a screen reader leaves it out. */
  artifact(draw: () => void, type: 'Layout' | 'Pagination' = 'Layout'): void {
    this.file.draw(`/Artifact<</Type/${type}>>BDC`);
    draw();
    this.file.draw('EMC');
  }

  /** To be called when a page has begun. */
  beginPage(): void {
    this.endPage();
    // Tabs: PDF/UA, 7.18.3. pdfkit sets it.
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
