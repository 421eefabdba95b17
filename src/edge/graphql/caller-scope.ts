import type { GraphQLFieldResolver, GraphQLSchema } from 'graphql';
import type { RequestContext } from '../../domain/access/index.js';
import { acrossOrganizations, actingFor, piecewise } from '../../platform/database/index.js';
import { ACCOUNT_ROOT_FIELDS, PUBLIC_ROOT_FIELDS } from './public-fields.js';

/** Runs a caller's request so that it sees only the rows of the caller's organization, and none without one. */
export function forCaller<Result>(
  { principal }: Pick<RequestContext, 'principal'>,
  work: () => Result,
): Result {
  return actingFor(principal ? [principal.organizationId] : [], work);
}

/** The same for streams, such as the events of a subscription or the bytes of a file. */
export function piecesForCaller<Piece>(
  caller: Pick<RequestContext, 'principal'>,
  pieces: () => AsyncIterable<Piece>,
): AsyncIterableIterator<Piece, void, undefined> {
  return piecewise((work) => forCaller(caller, work), pieces);
}

/**
 * Lets root fields that determine the organization themselves see the rows of all organizations. All other fields run in
 * {@link forCaller}.
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
