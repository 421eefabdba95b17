import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { MemoryFS, type PGlite } from '@electric-sql/pglite';
import { openPglite } from '../../../src/platform/database/embedded/open-pglite.js';

/** The databases that the global setup has prepared: `empty` has no tables, `migrated` has all of them and no rows. */
export type Template = 'empty' | 'migrated';

/** The directory of a template in PGlite's files; `undefined` if the tests run on PostgreSQL. */
export function findTemplate(template: Template): string | undefined {
  const directory = process.env['LUCARNE_TEST_EMBEDDED_TEMPLATES'];
  return directory === undefined ? undefined : path.join(directory, template);
}

export function templateDirectory(template: Template): string {
  const directory = findTemplate(template);
  if (directory === undefined) throw new Error('The global setup has prepared no template.');
  return directory;
}

/** A database in memory that begins as a copy of a template. */
export function openCopy(template: Template): Promise<PGlite> {
  return openPglite(undefined, { fs: new CopyOnWrite(filesOf(templateDirectory(template))) });
}

/** A file or directory in the template. A directory precedes what it holds. */
interface TemplateFile {
  readonly folder: string;
  readonly name: string;
  /** Missing for a directory. */
  readonly bytes?: Uint8Array;
}

const known = new Map<string, readonly TemplateFile[]>();

function filesOf(directory: string): readonly TemplateFile[] {
  const before = known.get(directory);
  if (before) return before;
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).map((entry) => ({
    folder: path.relative(directory, entry.parentPath),
    name: entry.name,
    ...(entry.isFile() && { bytes: new Uint8Array(readFileSync(path.join(entry.parentPath, entry.name))) }),
  }));
  known.set(directory, files);
  return files;
}

/** The parts of Emscripten's file system that are used here. */
interface Node {
  contents: unknown;
  usedBytes: number;
  stream_ops: Operations;
  readonly node_ops: { mknod(parent: Node, name: string, mode: number, device: number): Node };
}
type Operation = (stream: { readonly node: Node; stream_ops: Operations }, ...rest: unknown[]) => unknown;
type Operations = Readonly<Record<string, Operation>>;
interface Module {
  readonly FS: { mkdirTree(directory: string): void; lookupPath(path: string): { readonly node: Node } };
}

const DATA_DIRECTORY = '/pglite/data';
const FILE_MODE = 0o100600;
const DIRECTORY_MODE = 0o40700;

/**
 * All databases of a process share the bytes of the template. A database copies a file when it first writes to it, which it
 * does to few of the hundreds. Loading all files into each database took more than half of the time to create it.
 */
class CopyOnWrite extends MemoryFS {
  readonly #files: readonly TemplateFile[];

  constructor(files: readonly TemplateFile[]) {
    super();
    this.#files = files;
  }

  override initialSyncFs(): Promise<void> {
    const { FS } = this.pg!.Module as unknown as Module;
    FS.mkdirTree(DATA_DIRECTORY);
    const folders = new Map([['', FS.lookupPath(DATA_DIRECTORY).node]]);
    for (const { folder, name, bytes } of this.#files) {
      const parent = folders.get(folder)!;
      const node = parent.node_ops.mknod(parent, name, bytes ? FILE_MODE : DIRECTORY_MODE, 0);
      if (bytes) share(node, bytes);
      else folders.set(path.join(folder, name), node);
    }
    return Promise.resolve();
  }
}

/** All that changes bytes in place: Emscripten replaces the bytes of a file that is truncated or grows. */
function share(node: Node, bytes: Uint8Array): void {
  const own = node.stream_ops;
  const afterCopying =
    (operation: Operation): Operation =>
    (stream, ...rest) => {
      if (stream.node.contents === bytes) stream.node.contents = bytes.slice();
      stream.node.stream_ops = own;
      stream.stream_ops = own;
      return operation(stream, ...rest);
    };
  node.contents = bytes;
  node.usedBytes = bytes.length;
  node.stream_ops = { ...own, write: afterCopying(own['write']!), msync: afterCopying(own['msync']!) };
}
