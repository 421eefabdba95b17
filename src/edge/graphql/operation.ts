import {
  getOperationAST,
  getVariableValues,
  GraphQLError,
  parse,
  validate,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { invalidMembers } from '../../platform/kernel/errors.js';
import type { RequestContext } from '../../domain/access/index.js';
import { invalidVariables } from './limits/check-variables.js';
import { forCaller } from './caller-scope.js';
import { refusal } from './error-table.js';
import { lineOperation, type LineForm } from './lines/line-page.js';

/** A GraphQL document that is prepared once and run many times. */
export type CompiledOperation = (
  context: RequestContext,
  variables: Record<string, unknown>,
) => Promise<ExecutionResult>;

/**
 * Parses, validates and compiles a document. Throws if it does not fit the schema. If `lines` names the root field, the nodes
 * of its page are `JsonText`.
 */
export function compileOperation(
  schema: GraphQLSchema,
  source: string,
  lines: LineForm = { fields: {} },
): CompiledOperation {
  const document = parse(source);
  const operation = getOperationAST(document);
  const name = operation?.name?.value;
  const errors = validate(schema, document);
  if (errors.length > 0)
    throw new GraphQLError(`${name ?? 'A document'} does not fit the schema: ${errors.join('; ')}`);
  const compiled = compileQuery(schema, document, name);
  if (!operation || !isCompiledQuery(compiled))
    throw new GraphQLError(`${name ?? 'A document'} cannot be compiled.`);
  const readLines = lineOperation(schema, document, operation, lines);
  return async (context, variables) => {
    if (readLines) {
      const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
      const answered = coerced && (await forCaller(context, () => readLines(context, coerced)));
      if (answered) return answered;
    }
    const result = withGraphqlErrors(await forCaller(context, () => compiled.query({}, context, variables)));
    // Without a path nothing was executed, because a variable did not fit its type.
    const unexecuted = result.errors?.some(({ path, originalError }) => !path && !originalError);
    const members = unexecuted ? invalidVariables(schema, operation, variables) : [];
    return members.length === 0 ? result : { errors: [refusal(invalidMembers(members))] };
  };
}

/** graphql-jit's errors are immutable and have no `extensions`, so each is converted to an error of graphql. */
export function withGraphqlErrors(result: ExecutionResult): ExecutionResult {
  if (!result.errors) return result;
  return { ...result, errors: result.errors.map((error) => new LocatedError(error)) };
}

// graphql's own constructor takes locations only as nodes of the document, and a compiled query does not have them.
class LocatedError extends GraphQLError {
  constructor({
    message,
    locations,
    path,
    originalError,
  }: Pick<GraphQLError, 'message' | 'locations' | 'path' | 'originalError'>) {
    super(message, { path: path ?? null, originalError: originalError ?? null });
    Object.defineProperty(this, 'locations', { value: locations, enumerable: true });
  }
}
