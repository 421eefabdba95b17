import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  buildSchema,
  parse,
  validate,
  NoUnusedFragmentsRule,
  KnownFragmentNamesRule,
  specifiedRules,
} from 'graphql';

const root = path.resolve(import.meta.dirname, '../..');
const sources = path.join(root, 'portal/src');
const schema = buildSchema(readFileSync(path.join(root, 'schema/schema.graphql'), 'utf8'));

/** Every `graphql(`…`)` of the page, with the file that it stands in. */
const documents = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .flatMap((file) => {
    const text = readFileSync(path.join(sources, file), 'utf8');
    return [...text.matchAll(/graphql\(\s*`([^`]+)`/g)].map(([, document = '']) => ({ file, document }));
  });

describe('The documents of the portal', () => {
  it('are there', () => expect(documents.length).toBeGreaterThan(20));

  it.each(documents.map(({ file, document }) => [file, /\w+ \w+/.exec(document)?.[0] ?? '', document]))(
    'of %s fit the schema: %s',
    (_, __, document) => {
      // Fragments are in their own documents: types check how they fit together.
      const rules = specifiedRules.filter(
        (rule) => rule !== NoUnusedFragmentsRule && rule !== KnownFragmentNamesRule,
      );
      expect(validate(schema, parse(document), rules).map(({ message }) => message)).toEqual([]);
    },
  );
});
