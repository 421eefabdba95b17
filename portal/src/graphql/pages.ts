import { countText } from '../format.ts';
import { texts } from '../texts.ts';

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

/** The gateway names more of a list again and again. */
export class EndlessList extends Error {
  override readonly name = 'EndlessList';
  readonly code = 'ENDLESS';
}

export interface Connection<Node> {
  readonly nodes: readonly Node[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly totalCount?: number;
}

/** Beyond so many pages of 100 or 200 nobody chooses from a list. */
const MAX_PAGES = 250;

/**
 * The nodes of a list, page after page.
 *
 * @throws {EndlessList} where the list does not end: a page brings nothing, comes again, or is one too many.
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
      throw new EndlessList(words.endless(countText(count)));
    cursors.add(after);
  }
}
