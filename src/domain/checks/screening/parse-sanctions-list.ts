import { createHash } from 'node:crypto';
import { SaxesParser, type SaxesTagNS } from 'saxes';

/** The data used from a sanctions file. */
export interface SanctionsList {
  /** The day the publisher names, at midnight UTC. */
  readonly issuedAt: Date;
  /** Date of issue and SHA-256 of the file: `2026-11-20/9f86d0…`. */
  readonly version: string;
  /** Every digital currency address in the file, as written, of any currency. */
  readonly addresses: ReadonlySet<string>;
}

/** The text is not a sanctions file, or is truncated. */
export class UnreadableSanctionsList extends Error {
  override readonly name = 'UnreadableSanctionsList';
}

/** The published file has about 100 MB and some thousand addresses. */
const MAX_BYTES = 1024 * 1024 * 1024;
const MAX_ADDRESSES = 1_000_000;
const MAX_FEATURE_TYPES = 10_000;
const MAX_TEXT_LENGTH = 1_000;
const MAX_DEPTH = 64;
/** Maximum length of a text, tag or comment, which the parser would hold as a whole. */
const MAX_TOKEN_LENGTH = 1024 * 1024;

/**
 * Reads OFAC's `SDN_ADVANCED.XML` (the UN's advanced sanctions data model) as a stream. The feature types come first. An
 * address is the `VersionDetail` of a feature whose type is named “Digital Currency Address …”.
 *
 * @throws {UnreadableSanctionsList} if the file is malformed, truncated, in another format or too large.
 */
export async function readSanctionsList(chunks: AsyncIterable<Uint8Array>): Promise<SanctionsList> {
  const hash = createHash('sha256');
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = new ListReader();
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new UnreadableSanctionsList(`The file is larger than ${MAX_BYTES} bytes.`);
    hash.update(chunk);
    parsing(() => reader.write(decoder.decode(chunk, { stream: true })));
  }
  const { issued, addresses } = parsing(() => reader.end(decoder.decode()));
  return { issuedAt: new Date(issued), version: `${issued}/${hash.digest('hex')}`, addresses };
}

// The parser's errors are plain ones, and may quote the file at length.
function parsing<Result>(step: () => Result): Result {
  try {
    return step();
  } catch (thrown) {
    if (thrown instanceof UnreadableSanctionsList) throw thrown;
    throw new UnreadableSanctionsList(
      `The file is not well-formed XML: ${(thrown as Error).message}`.slice(0, 300),
    );
  }
}

class ListReader {
  readonly #parser = new SaxesParser({ xmlns: true, position: false });
  readonly #path: string[] = [];
  readonly #featureTypes = new Map<string, { readonly isAddress: boolean }>();
  readonly #addresses = new Set<string>();
  readonly #date = new Map<string, string>();
  /** The text of the current element, if it is needed. */
  #text: string | undefined;
  #featureTypeId = '';
  #feature: { readonly isAddress: boolean } | undefined;
  #sinceEvent = 0;

  constructor() {
    const parser = this.#parser;
    const seen = () => {
      this.#sinceEvent = 0;
    };
    const text = (piece: string) => {
      seen();
      if (this.#text === undefined) return;
      this.#text += piece;
      if (this.#text.length > MAX_TEXT_LENGTH)
        throw new UnreadableSanctionsList('A text of the file is too long.');
    };
    parser.on('text', text);
    parser.on('cdata', text);
    parser.on('attribute', seen);
    parser.on('comment', seen);
    parser.on('processinginstruction', seen);
    parser.on('opentag', (tag) => {
      seen();
      this.#open(tag);
    });
    parser.on('closetag', ({ local }) => {
      seen();
      this.#close(local);
    });
    // A DTD declares entities. Without one there are only the five of XML, and nothing expands.
    parser.on('doctype', () => {
      throw new UnreadableSanctionsList('The file has a document type declaration.');
    });
    parser.on('xmldecl', ({ encoding }) => {
      if (encoding !== undefined && !/^utf-?8$/i.test(encoding))
        throw new UnreadableSanctionsList('The file is not in UTF-8.');
    });
  }

  write(text: string): void {
    this.#sinceEvent += text.length;
    this.#parser.write(text);
    if (this.#sinceEvent > MAX_TOKEN_LENGTH)
      throw new UnreadableSanctionsList('A part of the file is too long.');
  }

  end(text: string): { readonly issued: string; readonly addresses: ReadonlySet<string> } {
    this.#parser.write(text).close();
    if (![...this.#featureTypes.values()].some(({ isAddress }) => isAddress))
      throw new UnreadableSanctionsList('The file declares no digital currency addresses.');
    return { issued: this.#dateOfIssue(), addresses: this.#addresses };
  }

  #open({ local, attributes }: SaxesTagNS): void {
    const path = this.#path;
    const parent = path.at(-1);
    if (parent === undefined && local !== 'Sanctions')
      throw new UnreadableSanctionsList('The file does not have the format of SDN_ADVANCED.XML.');
    path.push(local);
    if (path.length > MAX_DEPTH) throw new UnreadableSanctionsList('The file is nested too deeply.');
    this.#text = undefined;
    if (local === 'FeatureType' && parent === 'FeatureTypeValues') {
      this.#featureTypeId = attributes['ID']?.value ?? '';
      this.#text = '';
    } else if (local === 'Feature') {
      this.#feature = this.#featureTypes.get(attributes['FeatureTypeID']?.value ?? '');
      // A feature of an unknown type could be an address, and it would be missed.
      if (!this.#feature)
        throw new UnreadableSanctionsList('A feature has a type that the file does not declare.');
    } else if (local === 'VersionDetail' && this.#feature?.isAddress) this.#text = '';
    else if (parent === 'DateOfIssue' && path.length === 3) this.#text = '';
  }

  #close(local: string): void {
    const text = this.#text?.trim();
    this.#text = undefined;
    this.#path.pop();
    if (local === 'Feature') this.#feature = undefined;
    if (text === undefined) return;
    if (local === 'FeatureType') {
      this.#featureTypes.set(this.#featureTypeId, { isAddress: text.startsWith('Digital Currency Address') });
      if (this.#featureTypes.size > MAX_FEATURE_TYPES)
        throw new UnreadableSanctionsList('The file has too many feature types.');
    } else if (local === 'VersionDetail') {
      if (text !== '') this.#addresses.add(text);
      if (this.#addresses.size > MAX_ADDRESSES)
        throw new UnreadableSanctionsList('The file has too many addresses.');
    } else this.#date.set(local, text);
  }

  #dateOfIssue(): string {
    const part = (name: string, length: number) => (this.#date.get(name) ?? '').padStart(length, '0');
    const day = `${part('Year', 4)}-${part('Month', 2)}-${part('Day', 2)}`;
    // A day that does not exist, such as February 30, is parsed as another day or as none.
    const read = /^\d{4}-\d{2}-\d{2}$/.test(day) ? new Date(day) : new Date(Number.NaN);
    if (Number.isNaN(read.getTime()) || read.toISOString().slice(0, 10) !== day)
      throw new UnreadableSanctionsList('The file has no date of issue.');
    return day;
  }
}
