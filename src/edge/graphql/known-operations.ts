import { BoundedMap } from '../../platform/kernel/bounds/bounded-map.js';
import {
  getOperationAST,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { CompiledQuery } from 'graphql-jit';
import { compileClientQuery } from './compile-query.js';
import { documentBytes } from './limits/limits.js';
import { lineOperation, type LineFields, type LineOperation } from './lines/line-page.js';
import { operationKey } from './operation-key.js';

/** A compiled operation of a document that was validated in an earlier request. */
export interface KnownOperation {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly run: CompiledQuery['query'];
  /** Answers the operation from lines if it is one page of records. */
  readonly readLines: LineOperation | undefined;
}

/** A validated document, and the requested name of one of its operations. */
export interface Requested {
  readonly text: string;
  readonly textHash: string;
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
}

export interface KnownOperations {
  find(text: string, operationName: string | undefined): KnownOperation | undefined;
  /**
   * The operation of a validated document. It is compiled at its second request: clients repeat their own queries, and a
   * query that is sent once is not worth a compilation.
   */
  meet(requested: Requested): KnownOperation | undefined;
}

// Measured on documents of this schema: a compiled query takes 130 to 250 bytes for each character of its text.
const COMPILED_BYTES_PER_CHARACTER = 250;
const MAX_COMPILED_BYTES = 32 * 1024 * 1024;
const MAX_SEEN_BYTES = 256 * 1024;

export function createKnownOperations(schema: GraphQLSchema, fields: LineFields): KnownOperations {
  const compiled = new BoundedMap<string, KnownOperation>(MAX_COMPILED_BYTES, (_operation, key) =>
    documentBytes(key.length, COMPILED_BYTES_PER_CHARACTER),
  );
  const seen = new BoundedMap<string, true>(MAX_SEEN_BYTES, (_seen, mark) => 2 * mark.length);
  return {
    find: (text, operationName) => compiled.get(operationKey(text, operationName)),
    meet({ text, textHash, document, operationName }) {
      const key = operationKey(text, operationName);
      const known = compiled.get(key);
      if (known) return known;
      const mark = operationKey(textHash, operationName);
      const cameBefore = seen.get(mark);
      seen.set(mark, true);
      const operation = getOperationAST(document, operationName);
      const query = cameBefore && operation ? compileClientQuery(schema, document, operationName) : undefined;
      if (!query || !operation) return undefined;
      const readLines = lineOperation(schema, document, operation, { fields });
      const met = { document, operation, run: query.query, readLines };
      compiled.set(key, met);
      return met;
    },
  };
}
