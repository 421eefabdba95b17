import { GraphQLError, type DocumentNode, type GraphQLSchema } from 'graphql';
// Its ES module build imports `graphql/index.mjs`, a second copy of the `graphql` that Node resolves.
import { getComplexity, type ComplexityEstimator } from 'graphql-query-complexity/cjs';
import { badUserInput } from '../../../platform/kernel/errors.js';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../../platform/kernel/paging/paging.js';

/** Maximum number of fields in an answer, with each page counted at its size. */
const MAX_COST = 20_000;

/** Refuses an operation whose answer could hold more fields than the limit. */
export function checkCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Record<string, unknown>,
  operationName: string | null | undefined,
): void {
  const cost = knownCostOf(schema, document, variables, operationName);
  if (cost > MAX_COST) {
    throw badUserInput(
      `The query could return ${cost} fields; the limit is ${MAX_COST}. Request smaller pages.`,
    );
  }
}

/** Plain maps: there is one for each document in the caches, and its memory is counted. */
const counted = new WeakMap<DocumentNode, Map<string, number>>();
const MAX_COSTS_PER_DOCUMENT = 16;
const MAX_KEY_LENGTH = 500;
/** Of an entry of the map, in addition to the characters of its key. */
const COST_BYTES = 100;
const MAX_COST_BYTES_PER_DOCUMENT = MAX_COSTS_PER_DOCUMENT * (2 * MAX_KEY_LENGTH + COST_BYTES);

/**
 * The memory of a document in a cache. It includes from the start the most that its costs can take, because they are added while
 * the document is in the cache.
 */
export const documentBytes = (characters: number, bytesPerCharacter: number): number =>
  characters * bytesPerCharacter + MAX_COST_BYTES_PER_DOCUMENT;

/**
 * The cost, computed once for a document and the variables that can change it. Text never makes an answer larger, so cursors
 * are ignored, and all pages of a list share one cost.
 */
function knownCostOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Record<string, unknown>,
  operationName: string | null | undefined,
): number {
  const costs = counted.get(document) ?? new Map<string, number>();
  counted.set(document, costs);
  const key = `${operationName ?? ''} ${JSON.stringify(variables, withoutText)}`;
  const known = costs.get(key);
  if (known !== undefined) return known;
  const cost = costOf(schema, document, variables, operationName);
  if (costs.size >= MAX_COSTS_PER_DOCUMENT) costs.clear();
  if (key.length <= MAX_KEY_LENGTH) costs.set(key, cost);
  return cost;
}

function costOf(
  schema: GraphQLSchema,
  query: DocumentNode,
  variables: Record<string, unknown>,
  operationName: string | null | undefined,
): number {
  try {
    const options = { schema, query, variables, estimators: [fieldsOfTheAnswer] };
    return getComplexity(operationName ? { ...options, operationName } : options);
  } catch (thrown) {
    // An example is an explicit null where only the variable's default fits.
    if (thrown instanceof GraphQLError) throw badUserInput(thrown.message);
    throw thrown;
  }
}

const withoutText = (_: string, value: unknown) => (typeof value === 'string' ? '' : value);

// One for the field, or its declared weight, plus the cost of its selection for each item of the page.
const fieldsOfTheAnswer: ComplexityEstimator = ({ args, field, childComplexity }) => {
  const { complexity } = field.extensions;
  const own = typeof complexity === 'number' ? complexity : 1;
  const paged = field.args.some((argument) => argument.name === 'first');
  if (!paged) return own + childComplexity;
  const first: unknown = args['first'];
  const size = typeof first === 'number' && first >= 1 ? Math.min(first, MAX_PAGE_SIZE) : DEFAULT_PAGE_SIZE;
  return own + size * childComplexity;
};
