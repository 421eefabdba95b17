import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import {
  buildSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  type GraphQLNamedType,
} from 'graphql';

// The printed schema. Another test checks that it is the schema of the resolvers.
const schema = buildSchema(readFileSync(new URL('../../../schema/schema.graphql', import.meta.url), 'utf8'));

interface Described {
  readonly name: string;
  readonly description?: string | null | undefined;
}

describe('every description of the GraphQL schema', () => {
  const own = Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );

  it('is present: of types, fields, arguments and values', () => {
    const missing = own.flatMap((type) => [type, ...partsOf(type)]).filter(({ description }) => !description);
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it('is a sentence', () => {
    const open = own
      .flatMap((type) => [type, ...partsOf(type)])
      .filter(({ description }) => !/[.!?:`)]$/.test(description?.trim() ?? ''));
    expect(open.map(({ name, description }) => `${name}: ${description}`)).toEqual([]);
  });
});

function partsOf(type: GraphQLNamedType): Described[] {
  const named = (part: Described, name = part.name) => ({
    name: `${type.name}.${name}`,
    description: part.description,
  });
  if (isEnumType(type)) return type.getValues().map((value) => named(value));
  if (isInputObjectType(type)) return Object.values(type.getFields()).map((field) => named(field));
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).flatMap((field) => [
    named(field),
    ...field.args.map((argument) => named(argument, `${field.name}(${argument.name})`)),
  ]);
}
