import { packageRoot } from '../../platform/kernel/package.js';
import { readdirSync, readFileSync } from 'node:fs';
import { concatAST, parse, print, separateOperations, type DocumentNode } from 'graphql';

const DIRECTORY = new URL('schema/rest/', packageRoot);

/** The text of `schema/rest/<name>.graphql`, with the shared fragments that it uses. */
export function restDocument(name: string): string {
  const operation = parseFile(new URL(`${name}.graphql`, DIRECTORY));
  const [single, ...others] = Object.values(separateOperations(concatAST([operation, ...fragments()])));
  if (!single || others.length > 0) throw new Error(`schema/rest/${name}.graphql must hold one operation.`);
  return print(single);
}

function fragments(): DocumentNode[] {
  const directory = new URL('fragments/', DIRECTORY);
  return graphqlFiles(directory).map((file) => parseFile(new URL(file, directory)));
}

function graphqlFiles(directory: URL): string[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.graphql'))
    .sort();
}

function parseFile(file: URL): DocumentNode {
  return parse(readFileSync(file, 'utf8'));
}
