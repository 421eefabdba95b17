import type { RawBuilder } from 'kysely';
import type { Sealer } from '../../platform/crypto/index.js';
import { query, sql, type Transaction } from '../../platform/database/index.js';
import { clientNetwork } from '../../platform/kernel/client-network.js';

/** What relays may cost per day (UTC), in lamports: fees, and the rent of the accounts that they create. */
export interface RelayBudgets {
  readonly poolLamportsPerDay: number;
  readonly clientLamportsPerDay: number;
}

export const DEFAULT_RELAY_BUDGETS: RelayBudgets = {
  poolLamportsPerDay: 100_000_000_000,
  clientLamportsPerDay: 10_000_000_000,
};

export type BudgetOf = 'pool' | 'client';

/** A budget: its kind, its key, and its size. */
export interface BudgetScope {
  readonly of: BudgetOf;
  readonly hash: Uint8Array;
  readonly lamportsPerDay: number;
}

/** A relay would cost more than is left of a budget. */
export class BudgetUsedUp extends Error {
  override readonly name = 'BudgetUsedUp';

  constructor(readonly scope: BudgetScope) {
    super(`The budget of the ${scope.of} for today is used up.`);
  }
}

/** A keyed digest. With an unkeyed one, an address could be found by trial. */
export const clientHashOf = (sealer: Sealer, clientAddress: string) =>
  sealer.digest(`client:${clientNetwork(clientAddress)}`, 'relay_spending/scope_hash');

export const poolHashOf = (sealer: Sealer, poolSelector: string) =>
  sealer.digest(`pool:${poolSelector}`, 'relay_spending/scope_hash');

/** A request that was accepted before budgets existed has no client. */
export const budgetScopes = (
  budgets: RelayBudgets,
  poolHash: Uint8Array,
  clientHash: Uint8Array | null,
): BudgetScope[] => [
  { of: 'pool', hash: poolHash, lamportsPerDay: budgets.poolLamportsPerDay },
  ...(clientHash === null
    ? []
    : [{ of: 'client' as const, hash: clientHash, lamportsPerDay: budgets.clientLamportsPerDay }]),
];

const today = sql<Date>`date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'`;

/**
 * Counts what a transaction that is being signed costs by its simulation, with the highest fee. Nothing is returned to the budget
 * if it costs less.
 * @throws {BudgetUsedUp} The caller must roll back the transaction.
 */
export async function spend(
  transaction: Transaction,
  scopes: readonly BudgetScope[],
  lamports: number,
): Promise<void> {
  for (const scope of scopes) {
    // Raw: inserts a row only if the amount fits, with the same condition for an existing row.
    const [spent] = await transaction.rows(
      sql<{ lamports: number }>`
        insert into relay_spending as spending (scope_hash, day, lamports)
        select ${scope.hash}::bytea, ${today}, ${lamports}::bigint where ${lamports}::bigint <= ${scope.lamportsPerDay}::bigint
        on conflict (scope_hash, day) do update set lamports = spending.lamports + excluded.lamports
          where spending.lamports + excluded.lamports <= ${scope.lamportsPerDay}::bigint
        returning lamports`,
    );
    if (!spent) throw new BudgetUsedUp(scope);
  }
}

/** Counts what a transaction cost in addition: the ledger's state can have changed after its simulation. It is spent already. */
export async function spendMore(
  transaction: Transaction,
  scopes: readonly BudgetScope[],
  lamports: number,
): Promise<void> {
  for (const scope of scopes)
    await transaction.rows(
      // Raw: like `spend`, with the day as the database computes it.
      sql`
        insert into relay_spending as spending (scope_hash, day, lamports)
        values (${scope.hash}::bytea, ${today}, ${lamports}::bigint)
        on conflict (scope_hash, day) do update
          set lamports = least(spending.lamports + excluded.lamports, ${Number.MAX_SAFE_INTEGER}::bigint)`,
    );
}

export interface UsedUpBudget {
  readonly scope: BudgetScope;
  /** Until midnight UTC. */
  readonly secondsLeft: number;
}

/** Finds used up budgets as part of a statement of the caller. */
export const usedUpBudgets = {
  /** The positions, from 1, of the budgets that are used up. */
  among(hashes: readonly Uint8Array[], lamports: readonly number[]): RawBuilder<number[]> {
    // With `offset 0`, each lookup stays a lookup, also in a plan that was made for empty tables.
    const usedUp = query
      .selectFrom(
        sql<{ hash: Uint8Array; lamports: number; at: number }>`unnest(
          (select ${hashes}::bytea[]), (select ${lamports}::bigint[])) with ordinality`.as<'asked'>(
          sql`asked (hash, lamports, at)`,
        ),
      )
      .innerJoinLateral(
        (from) =>
          from
            .selectFrom('relay_spending')
            .select('day')
            .whereRef('scope_hash', '=', 'asked.hash')
            .where('day', '=', today)
            .whereRef('relay_spending.lamports', '>=', 'asked.lamports')
            .offset(sql.lit(0))
            .as('used_up'),
        (join) => join.onTrue(),
      )
      .select(sql<number>`asked.at::integer`.as('at'));
    return sql<number[]>`array(${usedUp})`;
  },

  secondsLeft: () => sql<number>`ceil(extract(epoch from ${today} + interval '1 day' - now()))::integer`,
};
