import type { TSchema } from 'typebox';
import { type Absences, answerText } from '../graphql/index.js';

/**
 * Writes an answer as JSON. Members that the schema neither requires nor lets be null are absent while they are
 * null; the answer is the executor's own fresh object, so they are unset in place and the whole is serialized once.
 * A member that may be null and that another one requires (`dependentRequired`) is absent while that one is.
 */
export function answerWriter(schema: TSchema): (answer: unknown) => string | Promise<Buffer> {
  const omit = omissions(schema);
  return (answer) => {
    omit?.(answer);
    return typeof answer === 'object' && answer !== null ? answerText(answer) : JSON.stringify(answer);
  };
}

type Omit = (value: unknown) => void;

// Only places of the schema that have something to omit are visited: opaque JSON and plain lists are not.
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

/** The same for an object that is written by other code. */
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
