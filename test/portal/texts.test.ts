import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const sources = path.resolve(import.meta.dirname, '../../portal/src');

interface Texts {
  readonly english: readonly string[];
  readonly french: readonly string[] | undefined;
}

const keysOf = (node: ts.Node | undefined): string[] =>
  node && ts.isObjectLiteralExpression(node)
    ? node.properties.map((property) => property.name?.getText().replaceAll("'", '') ?? '')
    : [];

/** The keys of each `texts({…}, { fr: {…} })` of a file. */
function textsIn(file: string): Texts[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(path.join(sources, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const found: Texts[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.getText() === 'texts') {
      const [english, others] = node.arguments;
      const french =
        others && ts.isObjectLiteralExpression(others)
          ? others.properties.find((property) => property.name?.getText() === 'fr')
          : undefined;
      found.push({
        english: keysOf(english),
        french: french && ts.isPropertyAssignment(french) ? keysOf(french.initializer) : undefined,
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.tsx?$/.test(file),
);
const components = files.flatMap((file) => textsIn(file).map((texts) => [file, texts] as const));

describe('The texts of the portal', () => {
  it('are there', () => expect(components.length).toBeGreaterThan(40));

  it.each(components)('of %s have every sentence in English and in French', (_, { english, french }) => {
    expect(english.length).toBeGreaterThan(0);
    expect(french).toEqual(english);
  });
});
