import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { buildSchema, getNamedType, isInputObjectType } from 'graphql';

const schema = buildSchema(readFileSync(new URL('../../../schema/schema.graphql', import.meta.url), 'utf8'));
const mutations = Object.values(schema.getMutationType()!.getFields());

describe('the arguments of a mutation', () => {
  it('are one `input` if there are several values, so there is never a second argument', () => {
    const several = mutations.filter(({ args }) => args.length > 1);
    expect(several.map(({ name }) => name)).toEqual([]);
  });

  it('are named `input` exactly if their type is an input type, which is named …Input', () => {
    const wrong = mutations.flatMap(({ name, args }) =>
      args
        .map((argument) => ({ argument, type: getNamedType(argument.type) }))
        .filter(({ argument, type }) =>
          isInputObjectType(type)
            ? argument.name !== 'input' || !type.name.endsWith('Input')
            : argument.name === 'input',
        )
        .map(({ argument, type }) => `${name}(${argument.name}: ${type.name})`),
    );
    expect(wrong).toEqual([]);
  });
});
