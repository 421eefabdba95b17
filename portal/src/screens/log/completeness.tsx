import { Notice } from '../../design/states';
import { listText } from '../../format.ts';
import type { Pages } from '../../graphql/hooks';
import { texts } from '../../texts.ts';
import type { EntryNode } from './documents';
import { gapsOf, type Places } from './gaps.ts';
import { useLogState } from './log-mark';

const words = texts(
  {
    repeated: (entries: string) => `The gateway returned entries more than once: ${entries}.`,
    order: 'The gateway returned entries that are not in time order.',
    missing: (entries: string) => `The gateway left entries of the log out: ${entries}.`,
    awaited: (entries: string) =>
      `The gateway has not returned all entries: ${entries}. Entries that were logged in the meantime appear when you load the page again, and entries with the same time as the last one shown appear with the next ones. Any other entry is missing.`,
  },
  {
    fr: {
      repeated: (entries: string) => `La passerelle a donné des entrées plus d’une fois : ${entries}.`,
      order: 'La passerelle a donné des entrées dans un autre ordre que celui de leurs dates.',
      missing: (entries: string) => `La passerelle a omis des entrées du journal : ${entries}.`,
      awaited: (entries: string) =>
        `La passerelle n’a pas donné toutes les entrées : ${entries}. Ce qui vient d’être journalisé apparaît quand la page est rechargée, et ce qui l’a été en même temps que la dernière entrée affichée vient avec les suivantes. Tout autre manque est une omission.`,
    },
  },
);

const MAX_RANGES = 5;
const rangesText = (ranges: readonly Places[]): string =>
  listText([
    ...ranges.slice(0, MAX_RANGES).map(([from, to]) => (from === to ? `#${from}` : `#${from} – #${to}`)),
    ...(ranges.length > MAX_RANGES ? ['…'] : []),
  ]);

/** Says which entries were given twice, in another order, or not at all. Only a `whole` log without a filter has no gaps. */
export function Completeness({
  pages,
  isWhole,
}: {
  readonly pages: Pages<EntryNode>;
  readonly isWhole: boolean;
}) {
  const log = useLogState().data;
  if (pages.isPending || pages.isPrevious || pages.error) return null;
  const sizes = pages.nodes.map(({ checkpoint }) => checkpoint?.size ?? 0);
  const size = Math.max(log?.checkpoint?.size ?? 0, ...sizes);
  const gaps = gapsOf(pages.nodes, isWhole ? { size, hasMore: pages.hasMore } : undefined);
  const { repeated, isOutOfOrder, missing, awaited } = gaps;
  return (
    <>
      {repeated.length > 0 && <Notice tone="bad">{words.repeated(rangesText(repeated))}</Notice>}
      {isOutOfOrder && <Notice tone="bad">{words.order}</Notice>}
      {missing.length > 0 && <Notice tone="bad">{words.missing(rangesText(missing))}</Notice>}
      {awaited.length > 0 && <Notice tone="warn">{words.awaited(rangesText(awaited))}</Notice>}
    </>
  );
}
