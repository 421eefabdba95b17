import {
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  OperationTypeNode,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  getNamedType,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Answered, Visitor } from '../../kit/browser/portal.js';
import { documents, schema } from '../code/documents.js';

/** Markup that would run a script. It names its member. */
const markupOf = (member: string) => `<img src=x onerror=document.title=1><b>${member}</b>`;
const EVERY_MARKUP = / ?<img src=x onerror=document\.title=1><b>[^<]*<\/b>/g;

/** Scalars whose values are text, or contain text at any depth. */
const TEXTS = ['String', 'ID', 'JSON', 'JSONObject'];

/** Rows that are not invented: the contents of a log entry depend on its type. */
const NOT_INVENTED = ['ActivityEntry'];
const HOUR_MS = 3_600_000;

/** Selects the members of answers that get markup, such as `Member.name`. */
export type Marks = (member: string, scalar: string) => boolean;

/** The text members that the page's queries request, as `Type.member`. */
export function textMembers(marks: Marks): ReadonlySet<string> {
  const members = new Set<string>();
  const info = new TypeInfo(schema);
  for (const { document } of documents)
    visit(
      parse(document),
      visitWithTypeInfo(info, {
        OperationDefinition: ({ operation }) => (operation === OperationTypeNode.QUERY ? undefined : false),
        Field({ name }) {
          const [type, parent] = [info.getType(), info.getParentType()];
          if (!type || !parent) return;
          const member = `${parent.name}.${name.value}`;
          const scalar = getNamedType(type).name;
          if (TEXTS.includes(scalar) && marks(member, scalar)) members.add(member);
        },
      }),
    );
  return members;
}

/**
 * The data of an answer as a hostile gateway would return it: with markup in every text that `marks` selects. Missing values
 * are invented: null texts, and rows of empty lists.
 */
function hostileData(query: string, data: Answered, marks: Marks): Answered {
  const definitions = parse(query).definitions;
  const fragments = new Map(
    definitions
      .filter(
        (definition): definition is FragmentDefinitionNode => definition.kind === Kind.FRAGMENT_DEFINITION,
      )
      .map((fragment) => [fragment.name.value, fragment.selectionSet]),
  );
  const operation = definitions.find(
    (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
  )!;
  const root = schema.getRootType(operation.operation)!;

  /** The requested members of an object, by their names in the answer. */
  function* selected(
    set: SelectionSetNode,
  ): Generator<{ key: string; name: string; set?: SelectionSetNode }> {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD)
        yield {
          key: selection.alias?.value ?? selection.name.value,
          name: selection.name.value,
          ...(selection.selectionSet ? { set: selection.selectionSet } : {}),
        };
      else
        yield* selected(
          selection.kind === Kind.INLINE_FRAGMENT
            ? selection.selectionSet
            : fragments.get(selection.name.value)!,
        );
    }
  }
  const objectOf = (type: GraphQLObjectType, set: SelectionSetNode, value: Answered): Answered => {
    for (const { key, name, set: inner } of selected(set)) {
      const field = type.getFields()[name];
      // A root member is null if it was refused.
      if (field && !(type === root && value[key] == null))
        value[key] = valueOf(field.type, inner, value[key], `${type.name}.${name}`);
    }
    return value;
  };
  const inJson = (value: unknown, member: string): unknown => {
    if (typeof value === 'string') return `${value} ${markupOf(member)}`;
    if (Array.isArray(value)) return value.map((one) => inJson(one, member));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inJson(one, member)]));
  };
  const valueOf = (
    declared: GraphQLOutputType,
    set: SelectionSetNode | undefined,
    value: unknown,
    member: string,
  ): unknown => {
    const isRequired = isNonNullType(declared);
    const type = isRequired ? declared.ofType : declared;
    if (isListType(type)) {
      if (value === null || (value === undefined && !isRequired)) return null;
      const row = getNamedType(type);
      // Two, because with one there is nothing to choose.
      const invented = isObjectType(row) && !NOT_INVENTED.includes(row.name) ? [{}, {}] : [];
      const values = (value ?? []) as unknown[];
      return (values.length === 0 ? invented : values).map((one) => valueOf(type.ofType, set, one, member));
    }
    if (isObjectType(type))
      return value == null && !isRequired ? null : objectOf(type, set!, (value ?? {}) as Answered);
    const { name } = type;
    if (TEXTS.includes(name) && marks(member, name)) {
      if (value == null) return name === 'String' ? markupOf(member) : value;
      return inJson(value, member);
    }
    if (value !== undefined) return value;
    if (!isRequired) return null;
    if (isEnumType(type)) return type.getValues()[0]!.name;
    if (name === 'Boolean') return true;
    if (name === 'DateTimeISO') return new Date(Date.now() + HOUR_MS).toISOString();
    if (name === 'LocalDate') return new Date().toISOString().slice(0, 10);
    if (name === 'JSON' || name === 'JSONObject') return {};
    return name === 'ID' || name === 'String' ? 'invented_1' : 1;
  };
  return objectOf(root, operation.selectionSet, data);
}

/** From now on, every answer to the page has markup in its texts. Values that the page sends back are forwarded without it. */
export async function markUp({ context, broken }: Visitor, marks: Marks): Promise<void> {
  await context.route('**/graphql', async (route) => {
    const sent = route.request().postData() ?? '{}';
    const { query } = JSON.parse(sent) as { query: string };
    try {
      const response = await route.fetch({ postData: sent.replace(EVERY_MARKUP, '') });
      const json = (await response.json()) as { data?: Answered; errors?: { message: string }[] };
      if (json.data) json.data = hostileData(query, json.data, marks);
      for (const error of json.errors ?? []) error.message += ` ${markupOf('error')}`;
      await route.fulfill({ response, json });
    } catch (thrown) {
      // The page navigated away and no longer waits for this answer.
      if (!/disposed|closed|Route is already handled/.test(String(thrown))) broken.push(String(thrown));
    }
  });
}
