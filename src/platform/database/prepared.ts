/** A statement that is asked again and again, with the values of its `$1`, `$2`, …. */
export class Prepared<Row> {
  declare readonly row: Row;

  constructor(
    readonly name: string,
    readonly text: string,
    readonly values: readonly unknown[],
  ) {}
}

/**
 * A statement whose text is written once: each connection of PostgreSQL parses it once, under `name`, and plans it no
 * more often than PostgreSQL sees fit. For the few reads that make up most of the load; `sql` is for all others.
 */
export function prepared<Row>(name: string, text: string): (...values: readonly unknown[]) => Prepared<Row> {
  return (...values) => new Prepared(name, text, values);
}
