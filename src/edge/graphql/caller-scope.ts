import type { GraphQLFieldResolver, GraphQLSchema } from 'graphql';
import type { RequestContext } from '../../domain/access/index.js';
import { acrossOrganizations, actingFor, piecewise } from '../../platform/database/index.js';
import { ACCOUNT_ROOT_FIELDS, PUBLIC_ROOT_FIELDS } from './public-fields.js';

/** Runs what a caller asked for so that it sees the rows of the caller's organization only, and of none without one. */
export function forCaller<Result>(
  { principal }: Pick<RequestContext, 'principal'>,
  work: () => Result,
): Result {
  return actingFor(principal ? [principal.organizationId] : [], work);
}

/** The same for what is asked for piece by piece, such as the events of a subscription or the bytes of a file. */
export function piecesForCaller<Piece>(
  caller: Pick<RequestContext, 'principal'>,
  pieces: () => AsyncIterable<Piece>,
): AsyncIterableIterator<Piece, void, undefined> {
  return piecewise((work) => forCaller(caller, work), pieces);
}

/**
 * Lets the root fields that find out by themselves whose rows they need see those of all organizations. Everything else
 * is run by {@link forCaller}.
 */
export function widenRoots(schema: GraphQLSchema): void {
  for (const root of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(root?.getFields() ?? {})) {
      if (!PUBLIC_ROOT_FIELDS.has(field.name) && !ACCOUNT_ROOT_FIELDS.has(field.name)) continue;
      if (field.resolve) field.resolve = across(field.resolve);
    }
  }
}

type Resolve = GraphQLFieldResolver<unknown, unknown>;

const across =
  (resolve: Resolve): Resolve =>
  (...asked) =>
    acrossOrganizations(() => resolve(...asked));
