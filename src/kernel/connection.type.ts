import { Field, ObjectType, type ClassType } from 'type-graphql';

@ObjectType({
  description: 'Where a page stands in its listing (GraphQL Cursor Connections).',
  simpleResolvers: true,
})
export class PageInfo {
  @Field(() => Boolean, { description: 'Whether more follows behind this page.' })
  hasNextPage!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the last item: pass it as `after`, with the same filters, for the next page.',
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
  @ObjectType(`${name}Edge`, {
    description: `One ${name} of a listing, with its cursor.`,
    simpleResolvers: true,
  })
  class EdgeType {
    @Field(() => String, { description: 'Opaque position of the item in this listing.' })
    cursor!: string;

    @Field(node, { description: 'The item.' })
    node!: Node;
  }

  @ObjectType(`${name}Connection`, { description: `A page of ${name} items.`, simpleResolvers: true })
  class ConnectionType {
    @Field(() => [EdgeType], { description: 'The items with their cursors.' })
    edges!: EdgeType[];

    @Field(() => [node()], { description: 'The items without their cursors.' })
    nodes!: Node[];

    @Field(() => PageInfo, { description: 'Where this page stands.' })
    pageInfo!: PageInfo;
  }
  return ConnectionType;
}

/** A connection of rows whose cursors are made by `cursor`. */
export function connectionOf<Node>(
  page: { readonly rows: readonly Node[]; readonly hasNextPage: boolean },
  cursor: (node: Node) => string,
): Connection<Node> {
  const last = page.rows.at(-1);
  return {
    // Edges are made only when asked for: most callers read `nodes`.
    get edges() {
      return page.rows.map((node) => ({ cursor: cursor(node), node }));
    },
    nodes: page.rows,
    pageInfo: { hasNextPage: page.hasNextPage, endCursor: last === undefined ? null : cursor(last) },
  };
}
