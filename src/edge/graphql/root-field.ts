import {
  Kind,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** The root field that threw: its own name, not the caller's alias. */
export function rootFieldOf(
  error: GraphQLError,
  document: DocumentNode,
  operation: OperationDefinitionNode | null | undefined,
): string {
  const key = error.path?.[0];
  const fragments = new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition]] : [],
    ),
  );
  return (key !== undefined && operation && fieldIn(operation.selectionSet, key, fragments)) || 'graphql';
}

function fieldIn(
  { selections }: SelectionSetNode,
  key: string | number,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): string | undefined {
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) {
      if ((selection.alias ?? selection.name).value === key) return selection.name.value;
      continue;
    }
    const inner = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
    const found = inner && fieldIn(inner.selectionSet, key, fragments);
    if (found !== undefined) return found;
  }
  return undefined;
}
