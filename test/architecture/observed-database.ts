import type { RawBuilder } from 'kysely';
import {
  Prepared,
  type Database,
  type Reader,
  type TypedStatement,
} from '../../src/platform/database/index.js';

/** A database whose statements a test can read, without their parameters. */
export function observe(database: Database): { readonly database: Database; readonly statements: string[] } {
  const statements: string[] = [];
  const reading =
    (reader: Reader): Reader['rows'] =>
    (query) => {
      statements.push(textOf(query));
      return reader.rows(query);
    };
  return {
    statements,
    database: {
      ...database,
      rows: reading(database),
      transaction: (work) =>
        database.transaction((transaction) => {
          statements.push('begin');
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
