import v8 from 'node:v8';
import { getOperationAST, type DocumentNode, type GraphQLSchema } from 'graphql';
import { compileQuery, isCompiledQuery, type CompiledQuery } from 'graphql-jit';

/**
 * Compiles an operation of a document that a client sent, or returns `undefined` if it cannot be compiled.
 * graphql-jit generates source text and evaluates it. V8 keeps the evaluated text and its code in a compilation cache that
 * outlives the compiled query: 1,200 documents of 3.8 KB left 615 MiB on the heap after they were dropped. The cache is
 * therefore off while a query is compiled.
 * The compiled code would read a missing variable from the prototype if every object has a member of its name.
 */
export function compileClientQuery(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
): CompiledQuery | undefined {
  const { variableDefinitions = [] } = getOperationAST(document, operationName) ?? {};
  if (variableDefinitions.some(({ variable }) => variable.name.value in Object.prototype)) return undefined;
  v8.setFlagsFromString('--no-compilation-cache');
  try {
    const result = compileQuery(schema, document, operationName);
    return isCompiledQuery(result) ? result : undefined;
  } finally {
    v8.setFlagsFromString('--compilation-cache');
  }
}
