import { Kind, type FieldNode, type GraphQLResolveInfo, type SelectionSetNode } from 'graphql';

// A repeated document is the same object, so each document is searched once.
const known = new WeakMap<FieldNode, Map<readonly string[], boolean>>();

/** Whether one of these fields is selected anywhere below the resolved field. `@skip` and `@include` are not evaluated. */
export function selects(
  { fieldNodes, fragments }: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>,
  names: readonly string[],
): boolean {
  return fieldNodes.some((node) => {
    const answers = known.get(node) ?? new Map<readonly string[], boolean>();
    known.set(node, answers);
    const answer = answers.get(names) ?? isWithin(node.selectionSet, fragments, names);
    answers.set(names, answer);
    return answer;
  });
}

function isWithin(
  selectionSet: SelectionSetNode | undefined,
  fragments: GraphQLResolveInfo['fragments'],
  names: readonly string[],
): boolean {
  return (selectionSet?.selections ?? []).some((selection) => {
    if (selection.kind === Kind.FRAGMENT_SPREAD)
      return isWithin(fragments[selection.name.value]?.selectionSet, fragments, names);
    if (selection.kind === Kind.FIELD && names.includes(selection.name.value)) return true;
    return isWithin(selection.selectionSet, fragments, names);
  });
}
