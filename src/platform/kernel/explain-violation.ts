import type { TSchema } from 'typebox';
import { Errors } from 'typebox/value';
import type { InvalidMember } from './errors.js';
import { isJsonObject } from './encoding/json.js';

const MAX_NAME_LENGTH = 100;

/**
 * The problems of a value that violates its schema, with one sentence for each member. `whole` is the name of the value itself.
 */
export function explainViolation(schema: TSchema, value: unknown, whole = 'The body'): string {
  return invalidMembersOf(schema, value)
    .map(({ member, problem }) => `${member === '' ? whole : member} ${problem}.`)
    .join(' ');
}

/** Members of a value that do not fit its schema, at most about ten. The member `''` is the value itself. */
export function invalidMembersOf(schema: TSchema, value: unknown): readonly InvalidMember[] {
  return explain(schema, value, []);
}

function explain(schema: TSchema, value: unknown, within: readonly string[]): readonly InvalidMember[] {
  // Several rules can refuse the same member, and each form of a union does. Only the first is reported.
  const problems = new Map<string, string>();
  const unions = new Set<string>();
  for (const violation of Errors(schema, value)) {
    const union = unionOf(violation);
    if (union !== undefined && unions.has(union)) continue;
    if (union !== undefined) unions.add(union);
    for (const { member, problem } of explainOne(schema, value, within, violation)) {
      if (!problems.has(member)) problems.set(member, problem);
    }
  }
  if (problems.size === 0) return [{ member: nameOf(within), problem: 'is not valid' }];
  return [...problems].map(([member, problem]) => ({ member, problem }));
}

type Violation = ReturnType<typeof Errors>[number];

/** The JSON pointer of the outermost union that the value does not fit. */
function unionOf({ keyword, schemaPath }: Violation): string | undefined {
  const pointer = schemaPath.replace(/^#/, '');
  return keyword === 'anyOf' ? pointer : /^(.*?)\/anyOf\//.exec(pointer)?.[1];
}

function explainOne(
  schema: TSchema,
  value: unknown,
  within: readonly string[],
  violation: Violation,
): readonly InvalidMember[] {
  const union = unionOf(violation);
  if (union !== undefined) {
    const path = segmentsOf(violation.instancePath).slice(0, depthOfValue(segmentsOf(union)));
    return explainUnion(at(schema, union), valueAt(value, path), [...within, ...path]);
  }
  const path = [...within, ...segmentsOf(violation.instancePath)];
  const member = nameOf(path);
  const members = (names: readonly string[], problem: string) =>
    names.map((name) => ({ member: nameOf([...path, name]), problem }));
  if (violation.keyword === 'required') return members(violation.params.requiredProperties, 'is required');
  if (violation.keyword === 'additionalProperties')
    return members(violation.params.additionalProperties, 'is not a known member');
  if (violation.keyword === 'boolean') return [{ member, problem: 'is not a known member' }];
  if (violation.keyword === 'uniqueItems') return [{ member, problem: 'must not contain duplicates' }];
  return [{ member, problem: `must be ${describe(at(schema, violation.schemaPath.replace(/^#/, '')))}` }];
}

// For a union of closed forms, the intended form is the first one whose characteristic members the value has.
function explainUnion(union: Node, value: unknown, path: readonly string[]): readonly InvalidMember[] {
  const forms = (union.anyOf ?? []).filter((form) => form.type === 'object');
  const characteristic = (form: Node) =>
    (form.required ?? []).filter((member) =>
      forms.some((other) => !Object.hasOwn(other.properties ?? {}, member)),
    );
  const intended = isJsonObject(value)
    ? forms.find((form) => characteristic(form).some((member) => Object.hasOwn(value, member)))
    : undefined;
  if (intended) return explain(intended, value, path);
  const member = nameOf(path);
  if (forms.length > 0 && isJsonObject(value)) {
    return [{ member, problem: `must have ${forms.flatMap(characteristic).join(' or ')}` }];
  }
  return [{ member, problem: `must be ${describe(union)}` }];
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
      return `a string${range(schema.minLength, schema.maxLength, 'characters')}`;
    case 'array':
      return `an array${range(schema.minItems, schema.maxItems, 'items')}`;
    case 'object':
      return 'a JSON object';
    case 'boolean':
      return 'a boolean';
    default:
      return 'something else';
  }
}

function range(from: number | undefined, to: number | undefined, unit?: string): string {
  if (from === undefined && to === undefined) return '';
  const [preposition, ending] = unit === undefined ? [' from', ''] : [' of', ` ${unit}`];
  if (to === undefined) return `${unit === undefined ? '' : ' of'} at least ${from}${ending}`;
  return `${preposition} ${from ?? 0} to ${to}${ending}`;
}

/** For example, `scope.fields[0]`, or `''` for the whole value. Names from the caller are truncated. */
function nameOf(path: readonly string[]): string {
  const name = path.map((segment, index) => {
    if (/^\d+$/.test(segment)) return `[${segment}]`;
    return index === 0 ? segment : `.${segment}`;
  });
  return name.join('').slice(0, MAX_NAME_LENGTH);
}

function segmentsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

// The depth in the value that the schema at this path describes: `properties/x` and `items` descend one level each.
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
