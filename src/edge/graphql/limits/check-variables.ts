import {
  coerceInputValue,
  getVariableValues,
  isInputType,
  isNonNullType,
  typeFromAST,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { badUserInput, type InvalidMember } from '../../../platform/kernel/errors.js';
import { isDeeperThan } from '../../../platform/kernel/encoding/json.js';

/** Deeper values could exhaust the stack of the functions that walk them. */
export const MAX_VARIABLES_DEPTH = 64;

/** Refuses values that do not fit the operation's variables, before other code reads them. Returns the coerced values. */
export function checkVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  values: Record<string, unknown>,
  { hideSuggestions }: { readonly hideSuggestions: boolean },
): Record<string, unknown> {
  if (isDeeperThan(values, MAX_VARIABLES_DEPTH))
    throw badUserInput(`The variables are nested more than ${MAX_VARIABLES_DEPTH} levels deep.`);
  const { errors, coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], values, {
    maxErrors: 1,
    hideSuggestions,
  });
  if (!coerced) throw badUserInput(errors[0]?.message ?? 'The variables do not fit the operation.');
  return coerced;
}

/** The variable that holds the whole input of a field. */
const INPUT = 'input';

/**
 * The members of the variables that do not fit their types, in words that do not mention GraphQL. Members of `$input` are
 * named relative to it.
 */
export function invalidVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  values: Record<string, unknown>,
): readonly InvalidMember[] {
  return (operation.variableDefinitions ?? []).flatMap(({ variable, type: node, defaultValue }) => {
    const name = variable.name.value;
    const type = typeFromAST(schema, node);
    if (!isInputType(type)) return [];
    const value = values[name];
    if (value === undefined) {
      const missing = isNonNullType(type) && !defaultValue;
      return missing ? [{ member: name, problem: 'is required' }] : [];
    }
    const members = new Set<string>();
    coerceInputValue(value, type, (path) => members.add(memberAt(name, path)));
    return [...members].map((member) => ({ member, problem: 'has the wrong form' }));
  });
}

function memberAt(variable: string, path: readonly (string | number)[]): string {
  const [first, ...rest] = variable === INPUT && path.length > 0 ? path : [variable, ...path];
  return [
    first,
    ...rest.map((segment) => (typeof segment === 'number' ? `[${segment}]` : `.${segment}`)),
  ].join('');
}
