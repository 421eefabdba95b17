import { countText } from '../format.ts';
import { texts } from '../texts.ts';
import { GatewayError } from './gateway-error.ts';

const words = texts(
  {
    endless: (count: string) => `The list does not end: the gateway names more after ${count} entries.`,
  },
  {
    fr: {
      endless: (count: string) =>
        `La liste ne finit pas : la passerelle en annonce d’autres après ${count} entrées.`,
    },
  },
);

export interface Connection<Node> {
  readonly nodes: readonly Node[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly totalCount?: number;
}

/** A listing that is read page by page. */
export interface ReadPages<Row> {
  readonly nodes: readonly Row[];
  /** The number of all of them, where the document asks for it. */
  readonly total: number | undefined;
  readonly isPending: boolean;
  /** The data on screen was read with other variables: the data for these is loading. */
  readonly isPrevious: boolean;
  readonly error: GatewayError | undefined;
  readonly hasMore: boolean;
  readonly isReadingMore: boolean;
  /** Why the next page could not be read. */
  readonly moreError: GatewayError | undefined;
  readonly readMore: () => void;
  readonly readAgain: () => void;
}

/** Beyond so many pages of 100 or 200 nobody chooses from a list. */
const MAX_PAGES = 250;

/**
 * The nodes of a list, page after page.
 *
 * @throws {GatewayError} where the list does not end: a page brings nothing, comes again, or is one too many.
 */
export async function* pagesOf<Node>(
  read: (after: string | null) => Promise<Connection<Node>>,
): AsyncGenerator<readonly Node[]> {
  let count = 0;
  const cursors = new Set<string>();
  for (let after: string | null = null; ;) {
    const { nodes, pageInfo }: Connection<Node> = await read(after);
    yield nodes;
    if (!pageInfo.hasNextPage) return;
    count += nodes.length;
    after = pageInfo.endCursor;
    if (after === null || nodes.length === 0 || cursors.has(after) || cursors.size === MAX_PAGES)
      throw new GatewayError('ENDLESS', words.endless(countText(count)));
    cursors.add(after);
  }
}
