import {
  getNamedType,
  getNullableType,
  GraphQLBoolean,
  GraphQLID,
  GraphQLInt,
  GraphQLString,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type SelectionSetNode,
} from 'graphql';
import { type LineMember, UnknownForm } from '../../../platform/kernel/encoding/lines.js';
import { NOTHING_ABSENT, type Absences } from './absences.js';

/** Writes a value as JSON. @throws {UnknownForm} */
type Write<Value> = (value: Value) => string;

export type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;

/** The selected fields in order, with fragments expanded. `undefined` if fields are merged or execution decides about one. */
export function plainFields(
  type: GraphQLObjectType,
  selectionSet: SelectionSetNode | undefined,
  fragments: Fragments,
): ReadonlyMap<string, FieldNode> | undefined {
  const fields = new Map<string, FieldNode>();
  const add = ({ selections }: SelectionSetNode): boolean =>
    selections.every((selection) => {
      if (selection.directives?.length) return false;
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        if (fields.has(key)) return false;
        fields.set(key, selection);
        return true;
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments[selection.name.value];
      if (!fragment || fragment.directives?.length) return false;
      return fragment.typeCondition?.name.value === type.name && add(fragment.selectionSet);
    });
  return selectionSet && add(selectionSet) ? fields : undefined;
}

/** A member of each line as it is written. */
interface Part {
  readonly at: number;
  readonly isShared: boolean;
  /** In quotes and a colon. */
  readonly name: string;
  /** Omitted while it is null. */
  readonly isOptional: boolean;
  readonly form: 'quoted' | Write<string>;
}

type WriteLine = (line: readonly string[], shared: readonly string[]) => string;

/** A function that writes the selected members of a line, or `undefined` if it cannot write one of them. */
export function lineWriter(
  type: GraphQLObjectType,
  selectionSet: SelectionSetNode | undefined,
  fragments: Fragments,
  { members, absences }: { readonly members: ReadonlyMap<string, LineMember>; readonly absences: Absences },
): WriteLine | undefined {
  const fields = plainFields(type, selectionSet, fragments);
  if (!fields || absences.without.size > 0) return undefined;
  const parts: Part[] = [];
  for (const [key, field] of fields) {
    const member = members.get(field.name.value);
    const definition = type.getFields()[field.name.value];
    const form =
      member?.form ??
      (member && definition && jsonWriter(definition.type, field, fragments, absences.deeper.get(key)));
    if (!member || !form) return undefined;
    const { at, isShared = false } = member;
    const isOptional = form !== 'quoted' && absences.whileNull.has(key);
    parts.push({ at, isShared, name: `${JSON.stringify(key)}:`, isOptional, form });
  }
  return parts.some(({ isOptional }) => isOptional) ? writeSome(parts) : writeAll(parts);
}

function writeSome(parts: readonly Part[]): WriteLine {
  return (line, shared) => {
    let text = '';
    for (const { at, isShared, name, isOptional, form } of parts) {
      const field = (isShared ? shared : line)[at]!;
      const value = form === 'quoted' ? `"${field}"` : form(field);
      if (isOptional && value === 'null') continue;
      text += text === '' ? '{' : ',';
      text += name;
      text += value;
    }
    return text === '' ? '{}' : `${text}}`;
  };
}

/** Where nothing is omitted, all that is between two fields is one text. */
function writeAll(parts: readonly Part[]): WriteLine {
  const pieces = parts.map(({ at, isShared, name, form }, index) => {
    const before = index === 0 ? '{' : `${quoteOf(parts[index - 1])},`;
    return { at, isShared, lead: `${before}${name}${quoteOf(parts[index])}`, form };
  });
  const end = `${quoteOf(parts.at(-1))}}`;
  return (line, shared) => {
    let text = '';
    for (const { at, isShared, lead, form } of pieces) {
      const field = (isShared ? shared : line)[at]!;
      text += lead;
      text += form === 'quoted' ? field : form(field);
    }
    return text + end;
  };
}

const quoteOf = (part: Part | undefined) => (part?.form === 'quoted' ? '"' : '');

function jsonWriter(type: GraphQLOutputType, field: FieldNode, fragments: Fragments, absences?: Absences) {
  const write = valueWriter(type, field.selectionSet, fragments, absences);
  return write && ((text: string) => write(JSON.parse(text)));
}

/** Writes a parsed value as its type serializes it. A value that the type would convert has an unknown form. */
function valueWriter(
  type: GraphQLOutputType,
  selectionSet: SelectionSetNode | undefined,
  fragments: Fragments,
  absences: Absences | undefined,
): Write<unknown> | undefined {
  const nullable = getNullableType(type);
  const write = isListType(nullable)
    ? listWriter(valueWriter(nullable.ofType, selectionSet, fragments, absences))
    : isObjectType(nullable)
      ? objectWriter(nullable, selectionSet, fragments, absences ?? NOTHING_ABSENT)
      : leafWriter(nullable);
  if (!write) return undefined;
  const none = isNonNullType(type) ? unknown : () => 'null';
  return (value) => (value == null ? none() : write(value));
}

function listWriter(write: Write<unknown> | undefined): Write<unknown> | undefined {
  return write && ((value) => (Array.isArray(value) ? `[${value.map(write).join(',')}]` : unknown()));
}

function leafWriter(type: GraphQLOutputType): Write<unknown> | undefined {
  const named = getNamedType(type);
  if (!isLeafType(named)) return undefined;
  if (isEnumType(named)) {
    const names = new Map(named.getValues().map(({ name, value }) => [value as unknown, `"${name}"`]));
    return (value) => names.get(value) ?? unknown();
  }
  switch (named) {
    case GraphQLString:
    case GraphQLID:
      return (value) => (typeof value === 'string' ? JSON.stringify(value) : unknown());
    case GraphQLBoolean:
      return (value) => (typeof value === 'boolean' ? String(value) : unknown());
    case GraphQLInt:
      return (value) => (Object.is(value, Number(value) | 0) ? String(value) : unknown());
    default:
      return undefined;
  }
}

function objectWriter(
  type: GraphQLObjectType,
  selectionSet: SelectionSetNode | undefined,
  fragments: Fragments,
  { whileNull, without, deeper }: Absences,
): Write<unknown> | undefined {
  const fields = plainFields(type, selectionSet, fragments);
  if (!fields) return undefined;
  const parts: {
    member: string;
    name: string;
    isOptional: boolean;
    other?: string;
    write: Write<unknown>;
  }[] = [];
  for (const [key, { name, selectionSet: inner }] of fields) {
    const definition = type.getFields()[name.value];
    // A member with a resolver is not a member of the value.
    const write =
      definition && !definition.resolve && valueWriter(definition.type, inner, fragments, deeper.get(key));
    const other = without.get(key);
    const otherField = other === undefined ? undefined : fields.get(other)?.name.value;
    if (!write || (other !== undefined && otherField === undefined)) return undefined;
    parts.push({
      ...{ member: name.value, name: `${JSON.stringify(key)}:`, isOptional: whileNull.has(key), write },
      ...(otherField === undefined ? {} : { other: otherField }),
    });
  }
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return unknown();
    const members = value as Readonly<Record<string, unknown>>;
    let text = '';
    for (const { member, name, isOptional, other, write } of parts) {
      const held = members[member];
      if ((isOptional && held == null) || (other !== undefined && members[other] == null)) continue;
      text += text === '' ? '{' : ',';
      text += name;
      text += write(held);
    }
    return text === '' ? '{}' : `${text}}`;
  };
}

function unknown(): never {
  throw new UnknownForm('A value of a page has an unknown form.');
}
