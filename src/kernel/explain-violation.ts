import type { TSchema } from 'typebox';
import { Errors } from 'typebox/value';
import { isJsonObject } from './json.js';

/**
 * What is wrong with a value that does not fit its schema, in a sentence that names the member. `whole` is what the
 * value itself is called.
 */
export function explainViolation(schema: TSchema, value: unknown, whole = 'The body'): string {
  const sentence = explain(schema, value, []);
  return sentence.startsWith(' ') ? `${whole}${sentence}` : sentence;
}

function explain(schema: TSchema, value: unknown, within: readonly string[]): string {
  const [violation] = Errors(schema, value);
  if (!violation) return `${nameOf(within)} is not valid.`;
  const pointer = violation.schemaPath.replace(/^#/, '');
  const union = /^(.*?)\/anyOf\//.exec(pointer)?.[1];
  if (union !== undefined) {
    const path = segmentsOf(violation.instancePath).slice(0, depthOfValue(segmentsOf(union)));
    return explainUnion(at(schema, union), valueAt(value, path), [...within, ...path]);
  }
  const path = [...within, ...segmentsOf(violation.instancePath)];
  if (violation.keyword === 'required') {
    return `${nameOf([...path, violation.params.requiredProperties[0] ?? ''])} is required.`;
  }
  if (violation.keyword === 'additionalProperties') {
    return `${nameOf([...path, violation.params.additionalProperties[0] ?? ''])} is not a known member.`;
  }
  if (violation.keyword === 'boolean') return `${nameOf(path)} is not a known member.`;
  if (violation.keyword === 'uniqueItems') return `${nameOf(path)} must not name anything twice.`;
  return `${nameOf(path)} must be ${describe(at(schema, pointer))}.`;
}

// Of several closed forms, the one is meant whose own members the value has.
function explainUnion(union: Node, value: unknown, path: readonly string[]): string {
  const forms = (union.anyOf ?? []).filter((form) => form.type === 'object');
  const characteristic = (form: Node) =>
    (form.required ?? []).filter((member) =>
      forms.some((other) => !Object.hasOwn(other.properties ?? {}, member)),
    );
  const meant = isJsonObject(value)
    ? forms.find((form) => characteristic(form).some((member) => Object.hasOwn(value, member)))
    : undefined;
  if (meant) return explain(meant, value, path);
  if (forms.length > 0 && isJsonObject(value)) {
    return `${nameOf(path)} must have ${forms.flatMap(characteristic).join(' or ')}.`;
  }
  return `${nameOf(path)} must be ${describe(union)}.`;
}

interface Node extends TSchema {
  readonly type?: string;
  readonly anyOf?: readonly Node[];
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly format?: string;
  readonly pattern?: string;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

function describe(schema: Node): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  if (schema.anyOf) return [...new Set(schema.anyOf.map(describe))].join(' or ');
  switch (schema.type ?? 'any') {
    case 'integer':
      return `an integer${range(schema.minimum, schema.maximum)}`;
    case 'string':
      if (schema.format === 'date-time') return 'an ISO 8601 date-time, such as 2026-01-31T09:30:00Z';
      if (schema.format === 'date') return 'an ISO 8601 date, such as 2026-01-31';
      if (schema.pattern !== undefined) return `a string matching ${schema.pattern}`;
      return `a string${range(schema.minLength, schema.maxLength, ' characters')}`;
    case 'array':
      return `an array${range(schema.minItems, schema.maxItems, ' items')}`;
    case 'object':
      return 'a JSON object';
    case 'boolean':
      return 'a boolean';
    default:
      return 'something else';
  }
}

function range(from: number | undefined, to: number | undefined, unit = ''): string {
  if (from === undefined && to === undefined) return '';
  const of = unit === '' ? '' : ' of';
  if (to === undefined) return `${of} at least ${from}${unit}`;
  return `${of === '' ? ' from' : of} ${from ?? 0} to ${to}${unit}`;
}

/** `scope.fields[0]`, and nothing for the whole; a caller's own names are cut short. */
function nameOf(path: readonly string[]): string {
  const name = path.map((segment, index) => {
    if (/^\d+$/.test(segment)) return `[${segment}]`;
    return index === 0 ? segment : `.${segment}`;
  });
  return name.join('').slice(0, 100);
}

function segmentsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

// How deep in the value the schema at this place looks: `properties/x` and `items` go one down.
function depthOfValue(schemaSegments: readonly string[]): number {
  return schemaSegments.filter((segment) => segment === 'properties' || segment === 'items').length;
}

function at(schema: TSchema, pointer: string): Node {
  return segmentsOf(pointer).reduce<unknown>(
    (node, segment) => (typeof node === 'object' && node !== null ? Reflect.get(node, segment) : undefined),
    schema,
  ) as Node;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, segment) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, segment)
        ? Reflect.get(inner, segment)
        : undefined,
    value,
  );
}
