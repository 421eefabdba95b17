import { describe, expect, it } from '@jest/globals';
import { parse } from 'graphql';
import { checkDocumentBounds, checkText } from '../../../../src/edge/graphql/limits/document-bounds.js';
import { fc } from '../../../kit/properties.js';

const check = (text: string) => checkDocumentBounds(parse(text));
const times = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');
const fragment = (name: string, body: string) => `fragment ${name} on Query { ${body} }`;

describe('the bounds of a GraphQL document', () => {
  it.each([
    [
      '170 times the same field, which validation compares pair by pair',
      `{ ${times(170, () => 'me{id}')} }`,
      '28730 pairs of fields with the same name; the limit is 2000',
    ],
    [
      'the same name by aliases',
      `{ ${times(65, (index) => `same: field${index}`)} }`,
      'pairs of fields with the same name',
    ],
    [
      'the same fragment spread often',
      `{ ${times(65, () => '...A')} } ${fragment('A', 'a')}`,
      'pairs of fields with the same name',
    ],
    [
      'many inline fragments',
      `{ ${times(65, (index) => `... { field${index} }`)} }`,
      'pairs of fields with the same name',
    ],
    [
      'many fields',
      `{ ${times(501, (index) => `field${index}`)} }`,
      '501 fields and fragments; the limit is 500',
    ],
    ['many operations', times(21, (index) => `query Q${index} { a }`), '21 operations; the limit is 20'],
    [
      'many fragments',
      `{ a } ${times(31, (index) => fragment(`A${index}`, 'a'))}`,
      '31 fragments; the limit is 30',
    ],
    ['many aliases', `{ ${times(21, (index) => `a${index}: a`)} }`, '21 aliases; the limit is 20'],
    [
      'many directives',
      `query ($v: Int ${times(7, () => '@d')}) ${times(7, () => '@d')} { a ${times(7, () => '@d')} }`,
      '21 directives; the limit is 20',
    ],
    ['many levels', `{ ${'a { '.repeat(10)} a ${'}'.repeat(10)} }`, '11 levels of fields; the limit is 10'],
    [
      'many levels through fragments',
      `{ ...A } ${fragment('A', 'a { b { c { d { e { ...B } } } } }')} ${fragment('B', 'f { g { h { i { j { k } } } } }')}`,
      '11 levels of fields',
    ],
  ])('refuse %s', (_, text, message) => {
    expect(() => check(text)).toThrow(message);
  });

  it('refuse fragments that multiply exponentially, without expanding them', () => {
    const chain = times(25, (index) => fragment(`A${index}`, `...A${index + 1} ...A${index + 1}`));
    expect(() => check(`{ ...A0 } ${chain} ${fragment('A25', 'a')}`)).toThrow(
      'fields once its fragments are expanded',
    );
  });

  it('leave fragment cycles to validation', () => {
    expect(() => check(`{ ...A } ${fragment('A', 'a ...B')} ${fragment('B', 'b ...A')}`)).not.toThrow();
  });

  it('do not count introspection levels', () => {
    expect(() =>
      check(`{ __schema { types { ${'ofType { '.repeat(12)} name ${'}'.repeat(12)} } } }`),
    ).not.toThrow();
  });

  it.each(['\n', '\r', '\r\n', '#\n', '  \r'])('refuse many lines that end with %j', (end) => {
    expect(() => checkText(`${end.repeat(1_999)}{ a }`)).not.toThrow();
    expect(() => checkText(`${end.repeat(2_000)}{ a }`)).toThrow('2001 lines; the limit is 2000');
  });

  it('leave type definitions to validation', () => {
    expect(() => check('type Query { a: Int }')).not.toThrow();
  });

  it('allow portal documents: several listings with many different fields', () => {
    const fields = times(40, (index) => `field${index}`);
    expect(() =>
      check(`{ ${times(8, (index) => `listing${index} { nodes { ${fields} } }`)} }`),
    ).not.toThrow();
  });

  it('count each selection once, in any position', () => {
    // A tree of fields with different names. Only their number matters.
    const tree = fc.letrec<{ set: string }>((tie) => ({
      set: fc
        .array(fc.tuple(fc.constantFrom('field', 'inline'), fc.option(tie('set'), { maxDepth: 4 })), {
          minLength: 1,
          maxLength: 6,
        })
        .map((selections) =>
          selections
            .map(([kind, inner]) =>
              kind === 'inline' && inner ? `... { ${inner} }` : inner ? `# { ${inner} }` : '#',
            )
            .join(' '),
        ),
    })).set;
    fc.assert(
      fc.property(tree, (template) => {
        let names = 0;
        const text = `{ ${template.replaceAll('#', () => `f${names++}`)} }`;
        const selections = names + text.split('...').length - 1;
        const inlinePairs = ((text.split('...').length - 1) * (text.split('...').length - 2)) / 2;
        if (selections > 500) expect(() => check(text)).toThrow(`The document has ${selections} fields`);
        else if (inlinePairs <= 2000) expect(() => check(text)).not.toThrow();
      }),
    );
  });
});
