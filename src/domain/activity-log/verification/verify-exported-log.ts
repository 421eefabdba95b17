import { isUtf8 } from 'node:buffer';
import { isJsonObject, parseUnambiguousJson } from '../../../platform/kernel/encoding/json.js';
import { EntriesPool } from './entries-pool.js';
import { LogVerifier, type LogVerification, type VerifyLogOptions } from './log-verifier.js';
import { plainEntryReader, type ShownEntries } from './plain-entry.js';
import { isFileEntry } from './file-entry.js';
import { parseFileHeader } from './verify-log-file.js';
import { attempt } from '../../../platform/kernel/encoding/attempt.js';

const [NEWLINE, COMMA] = [0x0a, 0x2c];
const END = ']}';
/** Bytes. It is far larger than an entry with its proof, so a file with longer lines has another layout. */
const MAX_LINE_LENGTH = 1_048_576;

/**
 * The result of `verifyLogFile` for a file in the layout of `exportText`: the header, a line for each entry, and the end.
 * Lines are verified as they are read, so memory holds one piece of the file for any log length. With `threads`, that many
 * worker threads each verify one piece while another waits. Returns `undefined` for other layouts: parse such files whole.
 */
export async function verifyExportedLog(
  pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
  options: VerifyLogOptions = {},
  { threads = 0 }: { readonly threads?: number } = {},
): Promise<LogVerification | undefined> {
  const reader = lineReader(options);
  await using pools = new AsyncDisposableStack();
  let pool: EntriesPool | undefined;
  /** In the order of the file. */
  const ahead: { readonly lines: Buffer; readonly shown: Promise<ShownEntries | undefined> }[] = [];
  const readNext = async () => {
    const { lines, shown } = ahead.shift()!;
    const entries = await shown;
    return (entries && reader.take(entries)) || reader.read(lines);
  };
  for await (const lines of wholeLines(pieces)) {
    if (!lines) return undefined;
    if (threads > 0 && reader.tree) pool ??= pools.use(new EntriesPool(threads, reader.tree));
    if (pool) ahead.push({ lines, shown: pool.read(lines) });
    else if (!reader.read(lines)) return undefined;
    if (ahead.length > 2 * threads && !(await readNext())) return undefined;
  }
  while (ahead.length > 0) if (!(await readNext())) return undefined;
  return reader.finish();
}

/** The whole lines of each piece; `undefined` if one is longer than the lines of an export. */
async function* wholeLines(pieces: AsyncIterable<Buffer> | Iterable<Buffer>) {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const block = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const end = block.lastIndexOf(NEWLINE) + 1;
    if (end > 0) yield block.subarray(0, end);
    rest = block.subarray(end);
    if (rest.length > MAX_LINE_LENGTH) yield undefined;
  }
  // The last line may lack a line end.
  if (rest.length > 0) yield Buffer.concat([rest, Buffer.of(NEWLINE)]);
}

/** JSON values joined by commas are JSON, and have a duplicate member name only if one of the values has. */
function lineReader(options: VerifyLogOptions) {
  const readPlain = plainEntryReader();
  let verifier: LogVerifier | undefined;
  let next: 'header' | 'entry or end' | 'entry' | 'end' | 'nothing' = 'header';

  const readEntry = (block: Buffer, begin: number, end: number, isText: boolean): boolean => {
    if (next !== 'entry' && next !== 'entry or end') return false;
    const isFollowed = block[end - 1] === COMMA;
    const entryEnd = isFollowed ? end - 1 : end;
    next = isFollowed ? 'entry' : 'end';
    const plain = isText ? readPlain(block, begin, entryEnd) : undefined;
    if (plain && verifier!.addPlain(plain)) return true;
    const entry = parseLine(block.toString('utf8', begin, entryEnd));
    if (!isFileEntry(entry)) return false;
    verifier!.add(entry);
    return true;
  };

  const readLine = (block: Buffer, begin: number, end: number, isText: boolean): boolean => {
    if (next === 'header') {
      verifier = parseHeader(block.toString('utf8', begin, end), options);
      next = 'entry or end';
      return verifier !== undefined;
    }
    if (end - begin === END.length && block.toString('latin1', begin, end) === END) {
      const mayEnd = next === 'end' || next === 'entry or end';
      next = 'nothing';
      return mayEnd;
    }
    return readEntry(block, begin, end, isText);
  };

  return {
    get tree() {
      return verifier?.tree;
    },
    /** Adds entries that were read elsewhere, each followed by another one. Returns false if they must be read here. */
    take(entries: ShownEntries): boolean {
      if ((next !== 'entry' && next !== 'entry or end') || !verifier?.addShown(entries)) return false;
      next = 'entry';
      return true;
    },
    /** Reads whole lines. Returns false if they are not lines of an export. */
    read(block: Buffer): boolean {
      const isText = isUtf8(block);
      for (let begin = 0; begin < block.length;) {
        const end = block.indexOf(NEWLINE, begin);
        if (!readLine(block, begin, end, isText)) return false;
        begin = end + 1;
      }
      return true;
    },
    finish: () => (next === 'nothing' ? verifier?.finish() : undefined),
  };
}

/** The line up to the list of entries, which is the last member. */
function parseHeader(line: string, options: VerifyLogOptions): LogVerifier | undefined {
  if (!line.endsWith(',"entries":[')) return undefined;
  const file = parseLine(`${line}${END}`);
  if (!isJsonObject(file) || !Array.isArray(file['entries'])) return undefined;
  const header = parseFileHeader(file);
  return header && new LogVerifier(header, options);
}

const parseLine = (text: string) => attempt(() => parseUnambiguousJson(text));
