import type { GraphQLFieldResolver, GraphQLSchema } from 'graphql';
import { type RequestContext, withCallerNow } from '../../domain/access/index.js';
import { acrossOrganizations, actingFor, inShareOf, piecewise } from '../../platform/database/index.js';
import { ACCOUNT_ROOT_FIELDS, PUBLIC_ROOT_FIELDS } from './public-fields.js';

/** Runs a caller's request. It sees only the rows of the caller's organization, and no rows without a caller. */
export function forCaller<Result>(
  { principal }: Pick<RequestContext, 'principal'>,
  work: () => Result,
): Result {
  return actingFor(principal ? [principal.organizationId] : [], work);
}

/** Like {@link forCaller} for streams, such as the events of a subscription or the bytes of a file. */
export function piecesForCaller<Piece>(
  caller: Pick<RequestContext, 'principal'>,
  pieces: () => AsyncIterable<Piece>,
): AsyncIterableIterator<Piece, void, undefined> {
  return piecewise((work) => forCaller(caller, work), pieces);
}

/** Lets root fields that determine the organization see the rows of all. All other fields run in {@link forCaller}. */
export function widenRoots(schema: GraphQLSchema): void {
  for (const root of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(root?.getFields() ?? {})) {
      if (!PUBLIC_ROOT_FIELDS.has(field.name) && !ACCOUNT_ROOT_FIELDS.has(field.name)) continue;
      if (field.resolve) field.resolve = across(field.resolve);
    }
  }
}

/**
 * Reads the caller's credentials again before each mutation. Mutations of one document wait for the mutations before them,
 * and a REST request waits for its body. The credentials can end during this wait.
 */
export function renewCallers(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {}))
    if (field.resolve) field.resolve = renewed(field.resolve);
}

type Resolve = GraphQLFieldResolver<unknown, unknown>;

const renewed =
  (resolve: Resolve): Resolve =>
  async (source, args, context, info) =>
    resolve(source, args, await withCallerNow(context as RequestContext), info);

const across =
  (resolve: Resolve): Resolve =>
  (...asked) =>
    acrossOrganizations(() => {
      const { principal } = asked[2] as RequestContext;
      return principal ? inShareOf(principal.organizationId, () => resolve(...asked)) : resolve(...asked);
    });
