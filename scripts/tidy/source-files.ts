import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const ROOT = path.resolve(import.meta.dirname, '../..');

const FOLDERS = [
  '.ci',
  'bench',
  'bin',
  'devnet',
  'docs',
  'portal',
  'schema/rest',
  'scripts',
  'simulation',
  'src',
  'test',
];
const TEXT = /(\.(ts|tsx|mjs|c|h|md|yml|graphql|css|html)|^Dockerfile|^\.ci\/run)$/;
// Vectors are published by others; this folder has to contain forbidden words; dist and node_modules are generated.
const SKIPPED =
  /(^|\/)(node_modules|dist)\/|^test\/vectors\/|^scripts\/tidy\/|^test\/architecture\/tidy\.test\.ts$/;

/** A text file of the repository. `path` is relative to its root, with slashes. */
export interface SourceFile {
  readonly path: string;
  readonly lines: readonly string[];
}

/** Every text file that people of this project write. */
export function readSourceFiles(): readonly SourceFile[] {
  const names = [
    ...readdirSync(ROOT, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name),
    ...FOLDERS.flatMap(filesBelow),
  ];
  return names
    .filter((name) => TEXT.test(name) && !SKIPPED.test(name))
    .toSorted()
    .map((name) => ({ path: name, lines: readFileSync(path.join(ROOT, name), 'utf8').split('\n') }));
}

function filesBelow(folder: string): readonly string[] {
  const absolute = path.join(ROOT, folder);
  try {
    return readdirSync(absolute, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

export const isCode = (name: string) => /\.(ts|tsx|mjs)$/.test(name);

const PARSED = new WeakMap<SourceFile, ts.SourceFile>();

/** The syntax tree of a code file, parsed once for all rules. */
export function parsed(file: SourceFile): ts.SourceFile {
  const known = PARSED.get(file);
  if (known) return known;
  const source = ts.createSourceFile(file.path, file.lines.join('\n'), ts.ScriptTarget.Latest, true);
  PARSED.set(file, source);
  return source;
}
