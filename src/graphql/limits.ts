import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import { maxDirectivesRule } from '@escape.tech/graphql-armor-max-directives';
import {
  GraphQLError,
  type DocumentNode,
  type GraphQLSchema,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
// Its ES module build imports `graphql/index.mjs`, a second copy beside the one that Node resolves `graphql` to.
import { getComplexity, type ComplexityEstimator } from 'graphql-query-complexity/cjs';
import { badUserInput } from '../kernel/errors.js';
import { DEFAULT_PAGE_SIZE, LARGEST_PAGE_SIZE } from '../kernel/paging.js';

/** What one GraphQL request may ask for. Past any of these it is refused before anything is read. */
export const GRAPHQL_LIMITS = {
  /** Tokens of the document, counted while parsing. */
  tokens: 2_000,
  /** Levels of selection. */
  depth: 10,
  aliases: 20,
  directives: 20,
  /** Fields that the answer could hold, pages counted at their size. */
  cost: 20_000,
} as const;

// Reported like every other violation of a rule, and not thrown, which Apollo takes for a fault of its own.
const reported = {
  exposeLimits: true,
  propagateOnRejection: false,
  onReject: [
    (context: ValidationContext | null, error: GraphQLError) => {
      context?.reportError(error);
    },
  ],
};

export const limitRules: readonly ValidationRule[] = [
  maxDepthRule({ n: GRAPHQL_LIMITS.depth, ignoreIntrospection: true, ...reported }),
  maxAliasesRule({ n: GRAPHQL_LIMITS.aliases, ...reported }),
  maxDirectivesRule({ n: GRAPHQL_LIMITS.directives, ...reported }),
];

/** Refuses an operation whose answer could hold more fields than the limit. */
export function checkCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Record<string, unknown>,
  operationName: string | null | undefined,
): void {
  const cost = knownCostOf(schema, document, variables, operationName);
  if (cost > GRAPHQL_LIMITS.cost) {
    throw badUserInput(
      `The query could answer ${cost} fields; the limit is ${GRAPHQL_LIMITS.cost}. Ask for smaller pages.`,
    );
  }
}

const counted = new WeakMap<DocumentNode, Map<string, number>>();
const COSTS_OF_A_DOCUMENT = 16;
const LONGEST_KEY = 500;

/**
 * The cost, counted once for a document and the variables that could matter to it. No text makes an answer larger: a
 * reader who goes from page to page brings another cursor each time, and the same cost.
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
  if (costs.size >= COSTS_OF_A_DOCUMENT) costs.clear();
  if (key.length <= LONGEST_KEY) costs.set(key, cost);
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
    // Fragments spread too often to be counted, or an explicit null where the variable's default would have fit.
    if (thrown instanceof GraphQLError) throw badUserInput(thrown.message);
    throw thrown;
  }
}

const withoutText = (_: string, value: unknown) => (typeof value === 'string' ? '' : value);

// One for the field, or what it says that it weighs, and its selection as often as the page is long.
const fieldsOfTheAnswer: ComplexityEstimator = ({ args, field, childComplexity }) => {
  const { complexity } = field.extensions;
  const own = typeof complexity === 'number' ? complexity : 1;
  const paged = field.args.some((argument) => argument.name === 'first');
  if (!paged) return own + childComplexity;
  const first: unknown = args['first'];
  const size =
    typeof first === 'number' && first >= 1 ? Math.min(first, LARGEST_PAGE_SIZE) : DEFAULT_PAGE_SIZE;
  return own + size * childComplexity;
};
