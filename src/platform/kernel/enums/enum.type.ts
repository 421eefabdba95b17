import { registerEnumType } from 'type-graphql';

/** Declares a GraphQL enum from a closed list of values. A value without a description does not compile. */
export function graphqlEnum<Value extends string>(
  name: string,
  description: string,
  values: Readonly<Record<Value, string>>,
): Record<Value, Value> {
  const names = Object.keys(values) as Value[];
  const declared = Object.fromEntries(names.map((value) => [value, value])) as Record<Value, Value>;
  const valuesConfig = Object.fromEntries(
    names.map((value) => [value, { description: values[value] }]),
  ) as Record<Value, { description: string }>;
  registerEnumType(declared, { name, description, valuesConfig });
  return declared;
}
