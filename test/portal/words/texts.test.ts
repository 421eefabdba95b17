import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const sources = path.resolve(import.meta.dirname, '../../../portal/src');

interface Texts {
  readonly english: readonly string[];
  readonly french: readonly string[] | undefined;
  /** The shown parts of both. */
  readonly literals: readonly string[];
}

const parsed = (file: string) =>
  ts.createSourceFile(file, readFileSync(path.join(sources, file), 'utf8'), ts.ScriptTarget.Latest, true);

const keysOf = (node: ts.Node | undefined): string[] =>
  node && ts.isObjectLiteralExpression(node)
    ? node.properties.map((property) => property.name?.getText().replaceAll("'", '') ?? '')
    : [];

/** The keys of each `texts({…}, { fr: {…} })` of a file. */
function textsIn(file: string): Texts[] {
  const source = parsed(file);
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
        literals: node.arguments.flatMap(literalsIn),
        french: french && ts.isPropertyAssignment(french) ? keysOf(french.initializer) : undefined,
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Every literal in a part of the source that a person may read, with one entry for each template. */
function literalsIn(node: ts.Node): string[] {
  const found: string[] = [];
  const visit = (part: ts.Node): void => {
    if (ts.isStringLiteralLike(part) || ts.isTemplateLiteralToken(part)) found.push(part.text);
    ts.forEachChild(part, visit);
  };
  visit(node);
  return found;
}

/** The attributes of components and elements with text that is shown or read out. */
const SHOWN_ATTRIBUTES = new Set(['label', 'title', 'alt', 'placeholder', 'hint', 'action', 'aria-label']);

/** Names are the same in every language, and so is text for a terminal. */
const isName = (text: string) => ['Lucarne', 'SHA-256'].includes(text);
const isTyped = (node: ts.Node) =>
  ts.isJsxElement(node.parent) && node.parent.openingElement.tagName.getText() === 'code';

/** Text that the source shows without an entry of `texts`, so that it exists in only one language. */
function untranslatedIn(file: string): string[] {
  const found: string[] = [];
  const hasWord = (text: string) => /\p{L}{2}/u.test(text);
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node) && hasWord(node.text) && !isName(node.text.trim()) && !isTyped(node))
      found.push(node.text.trim());
    if (
      ts.isJsxAttribute(node) &&
      SHOWN_ATTRIBUTES.has(node.name.getText()) &&
      node.initializer &&
      ts.isStringLiteral(node.initializer) &&
      hasWord(node.initializer.text)
    )
      found.push(node.initializer.text);
    ts.forEachChild(node, visit);
  };
  visit(parsed(file));
  return found;
}

const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.tsx?$/.test(file),
);
const components = files.flatMap((file) => textsIn(file).map((texts) => [file, texts] as const));

describe('the texts of the portal', () => {
  it('are found by this test', () => expect(components.length).toBeGreaterThan(40));

  it.each(components)('have every sentence of %s in English and in French', (_, { english, french }) => {
    expect(english.length).toBeGreaterThan(0);
    expect(french).toEqual(english);
  });

  it.each(components)(
    'state what happened in %s, without praise, pleading or exclamation marks',
    (_, { literals }) => {
      const loud =
        /!|\b(successfully|success|oops|please|sorry|avec succès|désolée?s?|veuillez|s’il vous plaît|merci)\b/iu;
      expect(literals.filter((text) => loud.test(text))).toEqual([]);
    },
  );

  it('contain every visible word: no component has its own', () => {
    const beside = files.flatMap((file) => untranslatedIn(file).map((text) => `${file}: ${text}`));
    expect(beside).toEqual([]);
  });
});
