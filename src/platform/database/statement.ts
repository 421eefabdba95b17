import type { RawBuilder } from 'kysely';
import { query, type TypedStatement } from './query.js';

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

/**
 * What a reader runs: a typed statement of `query`, one written with Kysely's `sql` tag whose `${value}`s are bound
 * parameters, or a prepared one.
 */
export type Statement<Row> = TypedStatement<Row> | RawBuilder<Row> | Prepared<Row>;

/** The same of a statement that is written in another way, and whose text never differs. It is for plans that leave no choice. */
export function named<Row>(name: string, statement: Statement<Row>): Prepared<Row> {
  const { text, values } = textOf(statement);
  return new Prepared(name, text, values);
}

/** Stands for a value of a {@link template} that is not known yet. */
class Blank {
  constructor(readonly member: string) {}
}

/**
 * As {@link named}, but the text is written only once: `write` gets something that stands for each value, and may only bind it.
 * Writing a long statement takes longer than sending it.
 */
export function template<Values extends object, Row>(
  name: string,
  write: (blanks: Values) => Statement<Row>,
): (values: Values) => Prepared<Row> {
  const blanks = new Proxy({}, { get: (_, member) => new Blank(String(member)) }) as Values;
  let written: StatementText | undefined;
  return (values) => {
    const { text, values: bound } = (written ??= textOf(write(blanks)));
    const filled = bound.map((one) => (one instanceof Blank ? values[one.member as keyof Values] : one));
    return new Prepared(name, text, filled);
  };
}

/** A statement as a driver takes it. Only a prepared one has a name. */
export interface StatementText {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

export function textOf<Row>(statement: Statement<Row>): StatementText {
  if (statement instanceof Prepared) return statement;
  const { sql: text, parameters } = isRawBuilder(statement) ? statement.compile(query) : statement.compile();
  return { text, values: parameters };
}

export const isRawBuilder = <Row>(statement: Statement<Row>): statement is RawBuilder<Row> =>
  'isRawBuilder' in statement;
