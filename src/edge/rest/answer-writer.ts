import type { TSchema } from 'typebox';
import { type Absences, answerText } from '../graphql/index.js';

/**
 * Writes an answer as JSON. A null member is omitted if the schema neither requires it nor allows null. A member that another
 * one requires (`dependentRequired`) is omitted while that one is null. The answer is the executor's own new object, so
 * members are unset in place, and the answer is serialized once.
 */
export function answerWriter(schema: TSchema): (answer: unknown) => ReturnType<typeof answerText> {
  const omit = omissions(schema);
  return (answer) => {
    omit?.(answer);
    return typeof answer === 'object' && answer !== null ? answerText(answer) : JSON.stringify(answer);
  };
}

type Omit = (value: unknown) => void;

// Only parts of the schema with something to omit are visited, not opaque JSON or plain lists.
function omissions(schema: Shape): Omit | undefined {
  if (schema.anyOf) return schema.anyOf.map(omissions).find((omit) => omit !== undefined);
  if (schema.items) {
    const omitItem = omissions(schema.items);
    return omitItem && ((value) => Array.isArray(value) && value.forEach(omitItem));
  }
  const { whileNull, without } = ownAbsences(schema);
  const deeper = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const omit = omissions(property);
    return omit ? [{ name, omit }] : [];
  });
  if (whileNull.size === 0 && deeper.length === 0 && without.size === 0) return undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null) return;
    const members = value as Record<string, unknown>;
    for (const [name, other] of without) if (members[other] === null) members[name] = undefined;
    for (const name of whileNull) if (members[name] === null) members[name] = undefined;
    for (const { name, omit } of deeper) omit(members[name]);
  };
}

/** The omitted members of an object that other code writes. */
export function absencesOf(schema: TSchema): Absences {
  const shape: Shape = schema;
  const deeper = new Map(
    Object.entries(shape.properties ?? {}).flatMap(([name, property]): [string, Absences][] => {
      const [object] = [property, ...(property.anyOf ?? [])].filter(({ properties }) => properties);
      return object ? [[name, absencesOf(object)]] : [];
    }),
  );
  return { ...ownAbsences(shape), deeper };
}

function ownAbsences(schema: Shape): Pick<Absences, 'whileNull' | 'without'> {
  const optional = Object.entries(schema.properties ?? {}).filter(
    ([name, property]) => !schema.required?.includes(name) && !allowsNull(property),
  );
  const dependent = Object.entries(schema.dependentRequired ?? {}).flatMap(([name, others]) =>
    others.map((other): [string, string] => [other, name]),
  );
  return { whileNull: new Set(optional.map(([name]) => name)), without: new Map(dependent) };
}

function allowsNull(schema: Shape): boolean {
  return schema.type === 'null' || (schema.anyOf?.some(allowsNull) ?? false);
}

interface Shape extends TSchema {
  readonly type?: string;
  readonly anyOf?: readonly Shape[];
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
}
