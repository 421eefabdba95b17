import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { markCutEdges, showBetweenEdges } from './cut-edges.ts';
import { destination, placeWithin, type Place } from './grid-place.ts';

export interface GridColumn<Row> {
  readonly id: string;
  readonly name: string;
  /** CSS length of its track, such as `12rem` or `minmax(8rem, 1fr)`. */
  readonly width: string;
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => ReactNode;
}

/** As the style sheet has it: it follows the font size and the rows that the reader chose. */
function rowHeightOfPage(): number {
  const style = getComputedStyle(document.documentElement);
  return Number.parseFloat(style.fontSize) * Number.parseFloat(style.getPropertyValue('--row'));
}

/**
 * A grid of any length (WAI-ARIA, data grid): only the rows on screen are in the page. One stop of the Tab key; arrows,
 * Home, End, Page Up and Page Down go from cell to cell, and a cell with a button gives it the focus.
 */
export function VirtualGrid<Row>({
  label,
  columns,
  rows,
  hasMore,
  onMore,
  isLoading,
}: {
  readonly label: string;
  readonly columns: readonly GridColumn<Row>[];
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
  readonly onMore: () => void;
  readonly isLoading: boolean;
}) {
  const [rowHeight] = useState(rowHeightOfPage);
  const scroller = useRef<HTMLDivElement>(null);
  useEffect(() => markCutEdges(scroller.current), []);
  const [chosen, setPlace] = useState<Place>({ row: 0, column: 0 });
  const place = placeWithin(chosen, rows.length, columns.length);
  /** Where the keyboard went, until the cell has the focus. */
  const wanted = useRef<Place>(undefined);
  // eslint-disable-next-line react-hooks/incompatible-library -- Its functions are used here only and are not memoized.
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    // The cell with the Tab stop stays in the page, and keeps the focus while scrolling.
    rangeExtractor: (range) => {
      const shown = new Set(defaultRangeExtractor(range));
      if (place.row < rows.length) shown.add(place.row);
      return [...shown].sort((one, other) => one - other);
    },
    scrollPaddingStart: rowHeight,
    getItemKey: (index) => index,
  });
  const items = virtual.getVirtualItems();
  const last = virtual.range?.endIndex ?? 0;
  useEffect(() => {
    if (hasMore && !isLoading && last >= rows.length - 60) onMore();
  }, [hasMore, isLoading, last, rows.length, onMore]);
  // The cell that the keyboard went to has the focus once it is in the page. React can run this for an earlier place after a key was
  // pressed: that is not where the reader went.
  useEffect(() => {
    if (wanted.current !== chosen) return;
    const cell = scroller.current?.querySelector<HTMLElement>(`[data-place="${place.row}-${place.column}"]`);
    if (!cell) return;
    wanted.current = undefined;
    (cell.querySelector<HTMLElement>('button, a') ?? cell).focus({ preventScroll: true });
    showBetweenEdges(scroller.current!, cell);
  });
  const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 400) / rowHeight) - 2);
  const go = (event: KeyboardEvent) => {
    const target = destination(event, place, { rows: rows.length, columns: columns.length, page });
    if (!target) return;
    event.preventDefault();
    wanted.current = target;
    setPlace(target);
    virtual.scrollToIndex(target.row, { align: 'auto' });
  };
  // The last column takes the room that is left, so that rows reach the edge.
  const tracks = columns
    .map(({ width }, index) =>
      index === columns.length - 1 && !width.startsWith('minmax') ? `minmax(${width}, 1fr)` : width,
    )
    .join(' ');
  return (
    // eslint-disable-next-line jsx-a11y-x/interactive-supports-focus -- One of its cells has the Tab stop.
    <div
      ref={scroller}
      role="grid"
      aria-label={label}
      aria-rowcount={hasMore ? -1 : rows.length + 1}
      aria-colcount={columns.length}
      aria-busy={isLoading}
      className="virtual-grid"
      onKeyDown={go}
    >
      <div role="rowgroup" className="virtual-grid-head">
        <div
          role="row"
          aria-rowindex={1}
          style={{ gridTemplateColumns: tracks }}
          className="virtual-grid-row"
        >
          {columns.map(({ id, name, isNumber }) => (
            <div key={id} role="columnheader" className={isNumber ? 'number' : undefined}>
              {name}
            </div>
          ))}
        </div>
      </div>
      <div role="rowgroup" className="virtual-grid-body" style={{ blockSize: virtual.getTotalSize() }}>
        {items.map(({ index, start, size }) => (
          <GridRow
            key={index}
            row={rows[index]!}
            index={index}
            start={start}
            size={size}
            columns={columns as readonly GridColumn<unknown>[]}
            tracks={tracks}
            stop={place.row === index ? place.column : undefined}
            onStop={setPlace}
          />
        ))}
      </div>
    </div>
  );
}

/** A row that stays on screen is not drawn again while others come and go. */
const GridRow = memo(function GridRow({
  row,
  index,
  start,
  size,
  columns,
  tracks,
  stop,
  onStop,
}: {
  readonly row: unknown;
  readonly index: number;
  readonly start: number;
  readonly size: number;
  readonly columns: readonly GridColumn<unknown>[];
  readonly tracks: string;
  /** The column of the Tab stop, where it is in this row. */
  readonly stop: number | undefined;
  readonly onStop: (place: Place) => void;
}) {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className="virtual-grid-row"
      style={{ gridTemplateColumns: tracks, blockSize: size, transform: `translateY(${start}px)` }}
    >
      {columns.map(({ id, cell, isNumber }, column) => (
        <div
          key={id}
          role={column === 0 ? 'rowheader' : 'gridcell'}
          data-place={`${index}-${column}`}
          tabIndex={stop === column ? 0 : -1}
          className={isNumber ? 'number' : undefined}
          onFocus={() => stop !== column && onStop({ row: index, column })}
        >
          {cell(row)}
        </div>
      ))}
    </div>
  );
});
