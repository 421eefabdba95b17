import type { TSchema } from 'typebox';

type Omit = (value: unknown) => void;

/**
 * Writes an answer as JSON. Members that the schema neither requires nor lets be null are absent while they are
 * null; the answer is the executor's own fresh object, so they are unset in place and the whole is serialized once.
 * A member that may be null and that another one requires (`dependentRequired`) is absent while that one is.
 */
export function answerWriter(schema: TSchema): (answer: unknown) => string {
  const omit = omissions(schema);
  return (answer) => {
    omit?.(answer);
    return JSON.stringify(answer);
  };
}

// Only places of the schema that have something to omit are visited: opaque JSON and plain lists are not.
function omissions(schema: Shape): Omit | undefined {
  if (schema.anyOf) return schema.anyOf.map(omissions).find((omit) => omit !== undefined);
  if (schema.items) {
    const omitItem = omissions(schema.items);
    return omitItem && ((value) => Array.isArray(value) && value.forEach(omitItem));
  }
  const properties = Object.entries(schema.properties ?? {});
  const optional = properties
    .filter(([name, property]) => !schema.required?.includes(name) && !allowsNull(property))
    .map(([name]) => name);
  const deeper = properties.flatMap(([name, property]) => {
    const omit = omissions(property);
    return omit ? [{ name, omit }] : [];
  });
  const dependent = Object.entries(schema.dependentRequired ?? {});
  if (optional.length === 0 && deeper.length === 0 && dependent.length === 0) return undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null) return;
    const members = value as Record<string, unknown>;
    for (const [name, others] of dependent) {
      if (members[name] === null) for (const other of others) members[other] = undefined;
    }
    for (const name of optional) if (members[name] === null) members[name] = undefined;
    for (const { name, omit } of deeper) omit(members[name]);
  };
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
