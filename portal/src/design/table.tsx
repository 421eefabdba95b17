import type { ReactNode } from 'react';
import { markCutEdges } from './lists/cut-edges.ts';

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  readonly isNumber?: boolean;
}

/** A short list as a table. The first column heads its row; on narrow screens the table scrolls within itself. */
export function Table<Row>({
  label,
  columns,
  rows,
  keyOf,
}: {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}) {
  return (
    // What scrolls can be reached by keyboard, and so has a name.
    <div ref={markCutEdges} className="table-scroll" role="region" aria-label={label} tabIndex={0}>
      <table className="table" aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ name, isNumber }) => (
              <th key={name} scope="col" className={isNumber ? 'number' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ name, cell, isNumber }, index) =>
                index === 0 ? (
                  <th key={name} scope="row" className={isNumber ? 'number' : undefined}>
                    {cell(row)}
                  </th>
                ) : (
                  <td key={name} className={isNumber ? 'number' : undefined}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Names and values; optionally two pairs per line if there is room. */
export function Facts({
  children,
  isWide = false,
}: {
  readonly children: ReactNode;
  readonly isWide?: boolean;
}) {
  return <dl className={isWide ? 'facts wide' : 'facts'}>{children}</dl>;
}

export function Fact({ name, children }: { readonly name: ReactNode; readonly children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
