import { AsyncLocalStorage } from 'node:async_hooks';
import type { RawBuilder } from 'kysely';
import {
  Prepared,
  type Database,
  type Reader,
  type TypedStatement,
} from '../../../src/platform/database/index.js';

interface Observed {
  readonly database: Database;
  readonly statements: string[];
  /** Runs `work`, and returns how many statements it ran: not those of earlier work that continues, such as a report. */
  readonly count: <Result>(work: () => Promise<Result>) => Promise<readonly [Result, number]>;
}

/** A database whose statements a test can read, without their parameters. */
export function observe(database: Database): Observed {
  const statements: string[] = [];
  const counting = new AsyncLocalStorage<{ count: number }>();
  const observed = (statement: string) => {
    statements.push(statement);
    const counter = counting.getStore();
    if (counter) counter.count += 1;
  };
  const reading =
    (reader: Reader): Reader['rows'] =>
    (query) => {
      observed(textOf(query));
      return reader.rows(query);
    };
  return {
    statements,
    async count(work) {
      const counter = { count: 0 };
      return [await counting.run(counter, work), counter.count];
    },
    database: {
      ...database,
      rows: reading(database),
      transaction: (work) =>
        database.transaction((transaction) => {
          observed('begin');
          return work({ ...transaction, rows: reading(transaction) });
        }),
    },
  };
}

/** Statements that read the credentials of a request and record their last use. */
export const CREDENTIALS =
  /join api_keys on secret_hash =|join sessions s on s.token_hash =|set "last_used_at"|set "last_seen_at"|^begin$/;

function textOf(query: RawBuilder<unknown> | Prepared<unknown> | TypedStatement<unknown>): string {
  if (query instanceof Prepared) return query.text.replace(/\s+/g, ' ').trim();
  if (!('isRawBuilder' in query)) return query.compile().sql;
  const { sqlFragments, parameters } = query.toOperationNode() as unknown as {
    readonly sqlFragments: readonly string[];
    readonly parameters: readonly unknown[];
  };
  return sqlFragments
    .map((fragment, index) => {
      const parameter = parameters[index];
      const nested =
        typeof parameter === 'object' && parameter !== null && 'sqlFragments' in parameter
          ? (parameter as { readonly sqlFragments: readonly string[] }).sqlFragments.join(' ')
          : '';
      return `${fragment}${nested}`;
    })
    .join('?')
    .replace(/\s+/g, ' ')
    .trim();
}
