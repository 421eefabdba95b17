import { sha256 } from '../../../platform/crypto/index.js';
import { query, sql, type Foundation, type Transaction, valuesOf } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { type Signatures, withSignatures } from '../../../platform/keys/index.js';
import { changeStatus } from '../status/change-status.js';
import { holdRelay, relayLeaseLost } from './relay-lease.js';
import type { Conclusion, NewAttempt, RelayStep } from './relay-step.js';
import {
  budgetScopes,
  DEFAULT_RELAY_BUDGETS,
  poolHashOf,
  spend,
  spendMore,
  type RelayBudgets,
} from '../relay-budget.js';
import { selectClientHash, type Relay } from '../relay.js';
import { RelayAttemptEntity, RelayConclusionEntity } from '../relay.entity.js';

/**
 * Writes a change and everything that belongs to it in one transaction: the signed bytes before they are sent, and the
 * conclusions about an attempt together with the end that follows from them. `asking` wraps the requests to the key stores that
 * sign the receipts of an end.
 *
 * @throws {LeaseLost} if the caller does not hold the request anymore. Nothing is written.
 * @throws {BudgetUsedUp} if a new attempt would cost more than is left for today. Nothing is written.
 */
export function recordStep(
  foundation: Foundation,
  relay: Relay,
  fencingToken: number,
  { change, attempt, conclusions = [] }: Extract<RelayStep, { readonly kind: 'change' }>,
  budgets: RelayBudgets = DEFAULT_RELAY_BUDGETS,
  asking?: (ask: () => Promise<void>) => Promise<void>,
): Promise<Relay> {
  const step = async (transaction: Transaction, signatures: Signatures) => {
    await holdRelay(transaction, { id: relay.id, fencingToken });
    const scopes = async () => {
      const clientHash = await selectClientHash(transaction, relay.id);
      return budgetScopes(budgets, poolHashOf(foundation.sealer, relay.poolSelector), clientHash);
    };
    if (attempt) {
      await spend(transaction, await scopes(), attempt.costLamports);
      await insertAttempt(transaction, relay.id, attempt);
    }
    for (const conclusion of conclusions) {
      await insertConclusion(transaction, relay.id, conclusion);
      const excess = await excessOf(transaction, relay.id, conclusion);
      if (excess > 0) await spendMore(transaction, await scopes(), excess);
    }
    const changed = await changeStatus(
      transaction,
      { ...foundation, signing: { ...foundation, signatures } },
      relay,
      {
        ...change,
        fencingToken,
      },
    );
    if (!changed) throw relayLeaseLost();
    return changed;
  };
  return withSignatures(
    foundation.signingKeys,
    (signatures) => foundation.database.transaction((transaction) => step(transaction, signatures)),
    asking,
  );
}

/** What an attempt cost in addition to what was counted when it was signed. */
async function excessOf(
  transaction: Transaction,
  requestId: Id<'rly'>,
  { number, paidLamports }: Conclusion,
): Promise<number> {
  if (paidLamports === undefined) return 0;
  const [signed] = await transaction.rows(
    query
      .selectFrom('relay_attempts as attempts')
      .innerJoin('relay_events as events', (join) =>
        join
          .onRef('events.request_id', '=', 'attempts.request_id')
          .on('events.status', '=', 'submitted')
          .on(sql<boolean>`events.evidence->>'signature' = attempts.signature`),
      )
      .select(sql<number | null>`(events.evidence->>'costLamports')::float8`.as('costLamports'))
      .where('attempts.request_id', '=', requestId)
      .where('attempts.number', '=', number),
  );
  // Attempts from before budgets have no cost.
  return signed?.costLamports == null ? 0 : Math.max(0, paidLamports - signed.costLamports);
}

const SIGNATURE_BYTES = 1 + 64;

async function insertAttempt(
  transaction: Transaction,
  requestId: Id<'rly'>,
  attempt: NewAttempt,
): Promise<void> {
  await transaction.rows(
    query.insertInto('relay_attempts').values(
      valuesOf(RelayAttemptEntity, {
        requestId,
        number: attempt.number,
        signature: attempt.signature,
        messageSha256: sha256(attempt.transaction.subarray(SIGNATURE_BYTES)),
        transaction: attempt.transaction,
        blockhash: attempt.blockhash,
        lastValidBlockHeight: attempt.lastValidBlockHeight,
        contextSlot: attempt.contextSlot,
        computeUnits: attempt.computeUnits,
        feeLamports: attempt.feeLamports,
        createdAt: sql<Date>`clock_timestamp()`,
      }),
    ),
  );
}

async function insertConclusion(
  transaction: Transaction,
  requestId: Id<'rly'>,
  { number, outcome, evidence }: Conclusion,
): Promise<void> {
  await transaction.rows(
    query.insertInto('relay_conclusions').values(
      valuesOf(RelayConclusionEntity, {
        ...{ requestId, number, outcome, evidence },
        position: sql<number>`(select count(*)::integer + 1 from relay_conclusions
          where request_id = ${requestId} and number = ${number})`,
        concludedAt: sql<Date>`clock_timestamp()`,
      }),
    ),
  );
}
