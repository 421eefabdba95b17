export interface Place {
  readonly row: number;
  readonly column: number;
}

interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
}

const within = (value: number, count: number) => Math.min(Math.max(value, 0), Math.max(count - 1, 0));

/** An existing cell: a filter may have removed the reader's row or column. */
export const placeWithin = ({ row, column }: Place, rows: number, columns: number): Place => ({
  row: within(row, rows),
  column: within(column, columns),
});

/** Where a key leads from `place`; `undefined` where it is not a key of the grid. */
export function destination(
  { key, ctrlKey }: Pressed,
  { row, column }: Place,
  { rows, columns, page }: { rows: number; columns: number; page: number },
): Place | undefined {
  const at = (toRow: number, toColumn: number) =>
    placeWithin({ row: toRow, column: toColumn }, rows, columns);
  switch (key) {
    case 'ArrowDown':
      return at(row + 1, column);
    case 'ArrowUp':
      return at(row - 1, column);
    case 'ArrowRight':
      return at(row, column + 1);
    case 'ArrowLeft':
      return at(row, column - 1);
    case 'PageDown':
      return at(row + page, column);
    case 'PageUp':
      return at(row - page, column);
    case 'Home':
      return at(ctrlKey ? 0 : row, 0);
    case 'End':
      return at(ctrlKey ? rows - 1 : row, columns - 1);
    default:
      return undefined;
  }
}
