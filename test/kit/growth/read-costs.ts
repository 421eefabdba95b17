import { Prepared, sql, type Database } from '../../../src/platform/database/index.js';
import { query } from '../../../src/platform/database/query.js';

/** The cost of a statement, as EXPLAIN measured it during execution. */
export interface ReadCost {
  readonly text: string;
  /** Number of rows that were read but not needed. */
  readonly removed: number;
  /** Number of 8 KiB pages that were read from memory or disk. */
  readonly buffers: number;
}

/** A database whose statements are measured: `costs` has the cost of each statement since it was emptied. */
export function measuredReads(database: Database): Database & { readonly costs: ReadCost[] } {
  const costs: ReadCost[] = [];
  let statements = 0;
  return {
    ...database,
    costs,
    async rows(statement) {
      const { text, values } = textOf(statement);
      statements += 1;
      // A separate name, because a statement that is already prepared is not planned for these values.
      const [explained] = await database.rows(
        new Prepared<NonNullable<Explained>>(
          `explained_${statements}`,
          `explain (analyze, buffers, format json) ${text}`,
          values,
        ),
      );
      costs.push(costOf(text, explained));
      // A prepared statement may use one plan for all values.
      if (statement instanceof Prepared)
        costs.push(await genericCost(database, `generic_${statements}`, statement));
      return database.rows(statement);
    },
  };
}

type Explained = { readonly 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] } | undefined;

function costOf(text: string, explained: Explained): ReadCost {
  const { Plan: plan } = explained!['QUERY PLAN'][0];
  const buffers = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  return { text, removed: removedBy(plan), buffers };
}

/** The cost of a prepared statement with the plan that is made without its values. */
function genericCost(
  database: Database,
  name: string,
  { text, values }: Prepared<unknown>,
): Promise<ReadCost> {
  return database.transaction(async (transaction) => {
    await transaction.rows(sql`set local plan_cache_mode = force_generic_plan`);
    await transaction.rows(sql.raw(`prepare ${name} as ${text}`));
    const [explained] = await transaction.rows(
      sql.raw<NonNullable<Explained>>(
        `explain (analyze, buffers, format json) execute ${name} (${values.map(literal).join(', ')})`,
      ),
    );
    await transaction.rows(sql.raw(`deallocate ${name}`));
    return costOf(`${name}: ${text}`, explained);
  });
}

function literal(value: unknown): string {
  if (value instanceof Date) return `'${value.toISOString()}'`;
  if (Array.isArray(value)) return `'{${value.join(',')}}'`;
  return `'${String(value).replaceAll("'", "''")}'`;
}

interface PlanNode {
  readonly Plans?: readonly PlanNode[];
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
}

function removedBy(node: PlanNode): number {
  const own =
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Join Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0);
  return (node.Plans ?? []).reduce((sum, child) => sum + removedBy(child), own * node['Actual Loops']);
}

function textOf(statement: Parameters<Database['rows']>[0]): {
  readonly text: string;
  readonly values: readonly unknown[];
} {
  if (statement instanceof Prepared) return statement;
  const { sql, parameters } = 'isRawBuilder' in statement ? statement.compile(query) : statement.compile();
  return { text: sql, values: parameters };
}
