import {
  getArgumentValues,
  getNamedType,
  isNonNullType,
  isObjectType,
  Kind,
  locatedError,
  OperationTypeNode,
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { RequestContext } from '../../../domain/access/index.js';
import { JsonText } from '../../../platform/kernel/encoding/json-text.js';
import { UnknownForm, type LineMember, type LinePage } from '../../../platform/kernel/encoding/lines.js';
import { NOTHING_ABSENT, type Absences } from './absences.js';
import { lineWriter, plainFields, type Fragments } from './line-writer.js';

/** A root field whose nodes can be read as lines. It checks everything that its resolver checks. */
export interface LineField {
  readonly members: ReadonlyMap<string, LineMember>;
  readonly list: (
    context: RequestContext,
    input: never,
    asked: { readonly json: boolean },
  ) => Promise<LinePage>;
}

/** The fields by the name of the root field. */
export type LineFields = Readonly<Record<string, LineField>>;

export interface LineForm {
  readonly fields: LineFields;
  /** Which members of a node are omitted. */
  readonly absences?: Absences | undefined;
}

/** Answers an operation from lines, with coerced `variables`. Returns `undefined` if it must be executed instead. */
export type LineOperation = (
  context: RequestContext,
  variables: Record<string, unknown>,
) => Promise<ExecutionResult | undefined>;

const PAGE_INFO = ['hasNextPage', 'endCursor'] as const;

/**
 * Returns the operation if it is one page of a {@link LineField}, selects only `nodes` and `pageInfo`, and needs no decision
 * during execution.
 */
export function lineOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  { fields, absences = NOTHING_ABSENT }: LineForm,
): LineOperation | undefined {
  const query = schema.getQueryType();
  if (!query || operation.operation !== OperationTypeNode.QUERY || operation.directives?.length)
    return undefined;
  const fragments: Fragments = Object.fromEntries(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition]] : [],
    ),
  );
  const [[key, root] = [], ...others] = plainFields(query, operation.selectionSet, fragments) ?? [];
  if (key === undefined || !root || others.length > 0 || !Object.hasOwn(fields, root.name.value))
    return undefined;
  const field = fields[root.name.value]!;
  const definition = query.getFields()[root.name.value];
  if (!definition) return undefined;
  const connection = getNamedType(definition.type);
  if (!isObjectType(connection)) return undefined;
  const page = pageWriter(connection, root, fragments, { members: field.members, absences });
  if (!page) return undefined;
  return async (context, variables) => {
    try {
      const input = getArgumentValues(definition, root, variables) as never;
      return { data: { [key]: page.write(await field.list(context, input, { json: page.json })) } };
    } catch (thrown) {
      if (thrown instanceof UnknownForm) return undefined;
      // As in execution (GraphQL, 6.4.4), the field is null if it is nullable.
      const errors = [locatedError(thrown, [root], [key])];
      return { data: isNonNullType(definition.type) ? null : { [key]: null }, errors };
    }
  };
}

function pageWriter(
  connection: GraphQLObjectType,
  root: FieldNode,
  fragments: Fragments,
  form: { readonly members: ReadonlyMap<string, LineMember>; readonly absences: Absences },
) {
  const parts: ((page: LinePage) => [string, unknown])[] = [];
  let json = false;
  const selected = plainFields(connection, root.selectionSet, fragments);
  if (!selected) return undefined;
  for (const [key, field] of selected) {
    const definition = connection.getFields()[field.name.value];
    const type = definition && getNamedType(definition.type);
    if (!isObjectType(type)) return undefined;
    const inner = plainFields(type, field.selectionSet, fragments);
    if (field.name.value === 'nodes') {
      const write = lineWriter(type, field.selectionSet, fragments, form);
      if (!write || !inner) return undefined;
      json ||= [...inner.values()].some(({ name }) => form.members.get(name.value)?.form === undefined);
      parts.push(({ lines, shared }) => [
        key,
        new JsonText(`[${lines.map((line) => write(line, shared)).join(',')}]`),
      ]);
    } else if (field.name.value === 'pageInfo') {
      const members = [...(inner ?? [])].map(([name, node]) => [name, node.name.value] as const);
      if (!inner || !members.every(([, name]) => isPageInfo(name))) return undefined;
      parts.push(({ pageInfo }) => [
        key,
        Object.fromEntries(
          members.map(([name, member]) => [name, pageInfo[member as keyof typeof pageInfo]]),
        ),
      ]);
    } else return undefined;
  }
  if (parts.length === 0) return undefined;
  return { json, write: (page: LinePage) => Object.fromEntries(parts.map((part) => part(page))) };
}

const isPageInfo = (name: string) => (PAGE_INFO as readonly string[]).includes(name);
