import { query, sql, type Reader } from '../../../platform/database/index.js';
import { addressBytes, addressFromBytes, type Address } from '../../../platform/ledger/index.js';
import { ATTEMPT_PAYER } from '../relay.js';
import type { PayerState } from './payers.js';

/** A payer with its open attempts. `removed`: the payer has open attempts but is not in the configuration. */
export interface ListedPayer {
  readonly address: Address;
  readonly state: PayerState | 'removed';
  /** Signed transactions of all instances whose outcome is not proven. They need the account to exist, but not its key. */
  readonly openAttempts: number;
}

/** The configured payers, then the payers of open attempts that are no longer configured. */
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

/** Open attempts of all instances, by payer. */
async function countOpenAttempts(reader: Reader): Promise<ReadonlyMap<Address, number>> {
  const counted = await reader.rows(
    query
      .selectFrom('relay_requests as requests')
      .innerJoin('relay_attempts as attempts', 'attempts.request_id', 'requests.id')
      .select([ATTEMPT_PAYER.as('payer'), sql<number>`count(*)::integer`.as('open')])
      .where('requests.status', 'in', ['submitted', 'reconciling'])
      // A constraint already ensures this. The index of due requests needs the condition, and skips requests that have ended.
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

/** When any instance last signed with this payer. */
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
