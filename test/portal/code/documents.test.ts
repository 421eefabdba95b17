import { describe, expect, it } from '@jest/globals';
import { KnownFragmentNamesRule, NoUnusedFragmentsRule, parse, specifiedRules, validate } from 'graphql';
import { documents, schema } from './documents.js';

describe('the GraphQL documents of the portal', () => {
  it('are found by this test', () => expect(documents.length).toBeGreaterThan(20));

  it.each(documents.map(({ file, document }) => [file, /\w+ \w+/.exec(document)?.[0] ?? '', document]))(
    'fit the schema: %s, %s',
    (_, __, document) => {
      // Fragments are in separate documents. Types check how they fit together.
      const rules = specifiedRules.filter(
        (rule) => rule !== NoUnusedFragmentsRule && rule !== KnownFragmentNamesRule,
      );
      expect(validate(schema, parse(document), rules).map(({ message }) => message)).toEqual([]);
    },
  );
});
