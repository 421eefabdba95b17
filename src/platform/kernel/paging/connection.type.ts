import { GraphQLSafeInt } from 'graphql-scalars';
import { Field, ObjectType, type ClassType } from 'type-graphql';

@ObjectType({
  description: 'Whether more pages follow, and the cursor for the next page (GraphQL Cursor Connections).',
  simpleResolvers: true,
})
export class PageInfo {
  @Field(() => Boolean, { description: 'Whether more items follow this page.' })
  hasNextPage!: boolean;

  @Field(() => String, {
    nullable: true,
    description:
      'The cursor of the last item, or null if the page is empty. To get the next page, pass it as `after` ' +
      'with the same filters.',
  })
  endCursor!: string | null;
}

export interface Edge<Node> {
  readonly cursor: string;
  readonly node: Node;
}

export interface Connection<Node> {
  readonly edges: readonly Edge<Node>[];
  readonly nodes: readonly Node[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** Declares `<Name>Edge` and `<Name>Connection` for a node type. */
export function connectionType<Node extends object>(name: string, node: () => ClassType<Node>) {
  @ObjectType(`${name}Connection`, { description: `A page of ${name} items.`, simpleResolvers: true })
  class ConnectionType extends connectionParts(name, node) {}
  return ConnectionType;
}

/** The parts of every connection, for a connection with additional fields. */
export function connectionParts<Node extends object>(name: string, node: () => ClassType<Node>) {
  @ObjectType(`${name}Edge`, {
    description: `An item of a listing of ${name}, with its cursor.`,
    simpleResolvers: true,
  })
  class EdgeType {
    @Field(() => String, { description: 'The opaque position of the item in this listing.' })
    cursor!: string;

    @Field(node, { description: 'The item.' })
    node!: Node;
  }

  @ObjectType({ description: `A page of ${name} items.`, simpleResolvers: true })
  abstract class ConnectionParts {
    @Field(() => [EdgeType], { description: 'The items with their cursors.' })
    edges!: EdgeType[];

    @Field(() => [node()], { description: 'The items without their cursors.' })
    nodes!: Node[];

    @Field(() => PageInfo, { description: 'Whether more pages follow, and the cursor for the next page.' })
    pageInfo!: PageInfo;
  }
  return ConnectionParts;
}

/** The same with the total number of items that match the filters. */
export function countedConnectionType<Node extends object>(name: string, node: () => ClassType<Node>) {
  @ObjectType(`${name}Connection`, { description: `A page of ${name} items.`, simpleResolvers: true })
  class CountedConnectionType extends connectionParts(name, node) {
    @Field(() => GraphQLSafeInt, {
      // Counted only when it is requested.
      simple: false,
      description: 'The number of items on all pages of the listing that match its filters.',
    })
    totalCount!: number;
  }
  return CountedConnectionType;
}

/** A connection that counts its items only when the count is requested. */
export interface CountedConnection<Node> extends Connection<Node> {
  readonly totalCount: Promise<number>;
}

export function counted<Node>(
  connection: Connection<Node>,
  count: () => Promise<number>,
): CountedConnection<Node> {
  return onDemand(connection, 'totalCount', count);
}

/** Adds a member that is read only when it is requested. It is not enumerable, so copies of the value do not have it. */
export function onDemand<Value extends object, Member extends string, Answer>(
  value: Value,
  member: Member,
  read: () => Promise<Answer>,
): Value & { readonly [name in Member]: Promise<Answer> } {
  // Not spread, because edges are computed on demand, too.
  return Object.defineProperty(value as Value & { readonly [name in Member]: Promise<Answer> }, member, {
    get: read,
  });
}

/** A connection of the rows of a page. `cursor` returns the cursor of a row. */
export function connectionOf<Node>(
  page: { readonly rows: readonly Node[]; readonly hasNextPage: boolean },
  cursor: (node: Node) => string,
): Connection<Node> {
  const last = page.rows.at(-1);
  return {
    // Computed on demand: most callers only read `nodes`.
    get edges() {
      return page.rows.map((node) => ({ cursor: cursor(node), node }));
    },
    nodes: page.rows,
    pageInfo: { hasNextPage: page.hasNextPage, endCursor: last === undefined ? null : cursor(last) },
  };
}
