import { query, sql, type Reader } from '../../../platform/database/index.js';
import { addressBytes, addressFromBytes, type Address } from '../../../platform/ledger/index.js';
import { ATTEMPT_PAYER } from '../relay.js';
import type { PayerState } from './payers.js';

/** A payer with what the database knows of it; `removed`: the configuration does not name it, and attempts of it are open. */
export interface ListedPayer {
  readonly address: Address;
  readonly state: PayerState | 'removed';
  /** Signed transactions, of all instances, of which it is not proven what became. They need the account, and not its key. */
  readonly openAttempts: number;
}

/** The configured payers, and then those of open attempts that are not configured anymore. */
export async function listPayers(
  reader: Reader,
  configured: readonly { readonly address: Address; readonly state: PayerState }[],
): Promise<ListedPayer[]> {
  const open = await countOpenAttempts(reader);
  const known = new Set(configured.map(({ address }) => address));
  const removed = [...open.keys()].filter((address) => !known.has(address));
  const listed = [...configured, ...removed.map((address) => ({ address, state: 'removed' as const }))];
  return listed.map(({ address, state }) => ({ address, state, openAttempts: open.get(address) ?? 0 }));
}

/** Of all instances, by payer. */
async function countOpenAttempts(reader: Reader): Promise<ReadonlyMap<Address, number>> {
  const counted = await reader.rows(
    query
      .selectFrom('relay_requests as requests')
      .innerJoin('relay_attempts as attempts', 'attempts.request_id', 'requests.id')
      .select([ATTEMPT_PAYER.as('payer'), sql<number>`count(*)::integer`.as('open')])
      .where('requests.status', 'in', ['submitted', 'reconciling'])
      // So it is by a constraint; the index of due requests needs it said, and passes over all that have ended.
      .where('requests.next_look_at', 'is not', null)
      .where((row) =>
        row.not(
          row.exists(
            row
              .selectFrom('relay_conclusions as conclusions')
              .whereRef('conclusions.request_id', '=', 'attempts.request_id')
              .whereRef('conclusions.number', '=', 'attempts.number'),
          ),
        ),
      )
      .groupBy(ATTEMPT_PAYER)
      .orderBy('payer'),
  );
  return new Map(counted.map(({ payer, open }) => [addressFromBytes(payer), open]));
}

/** When any instance signed with it last. */
export async function lastSignedAt(reader: Reader, address: Address): Promise<Date | null> {
  const [last] = await reader.rows(
    query
      .selectFrom('relay_attempts as attempts')
      .select('created_at as at')
      .where(ATTEMPT_PAYER, '=', addressBytes(address))
      .orderBy('created_at', 'desc')
      .limit(1),
  );
  return last?.at ?? null;
}
