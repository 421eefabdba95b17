import { getVariableValues, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';
import { badUserInput } from '../kernel/errors.js';

/** Refuses values that do not fit the operation's variables, before anything else looks at them. */
export function checkVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  values: Record<string, unknown>,
  { hideSuggestions }: { readonly hideSuggestions: boolean },
): void {
  const { errors } = getVariableValues(schema, operation.variableDefinitions ?? [], values, {
    maxErrors: 1,
    hideSuggestions,
  });
  if (errors?.[0]) throw badUserInput(errors[0].message);
}
