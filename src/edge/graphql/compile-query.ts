import v8 from 'node:v8';
import { getOperationAST, type DocumentNode, type GraphQLSchema } from 'graphql';
import { compileQuery, isCompiledQuery, type CompiledQuery } from 'graphql-jit';

/**
 * Compiles an operation of a document that a client sent, or `undefined` when it cannot be compiled.
 *
 * graphql-jit generates source text and evaluates it. V8 keeps evaluated text and its code in a compilation cache that
 * outlives the compiled query: 1,200 documents of 3.8 KB left 615 MiB on the heap after they were dropped. The cache is
 * off while a query is compiled.
 *
 * Its code would find a variable that is named like a member of every object there, although the client left it out.
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
