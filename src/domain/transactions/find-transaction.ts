import {
  actingFor,
  batched,
  type Database,
  type Foundation,
  prepared,
} from '../../platform/database/index.js';
import { notFound } from '../../platform/kernel/errors.js';
import { type Id, isId } from '../../platform/kernel/ids.js';
import { isSignature } from '../../platform/ledger/index.js';
import { type Principal, requireScope } from '../access/index.js';
import { mayBeArchived } from './parts/attached.js';
import { type IndexedTransaction, RECORD_COLUMNS } from './transaction.js';

/** Reads single records. Concurrent reads, of any requests, share one statement. */
export interface TransactionReader {
  /**
   * The record with an id or a ledger signature. If several records have the signature, it is the first in instruction order.
   * `NOT_FOUND` for anything that is not a record of the caller's organization, and `CONFLICT` if records of the organization
   * are in cold storage and no attached record matches.
   */
  find(principal: Principal | undefined, idOrSignature: string): Promise<IndexedTransaction>;
}

interface Wanted {
  readonly organizationId: Id<'org'>;
  readonly name: string;
}

export function createTransactionReader({ database }: Pick<Foundation, 'database'>): TransactionReader {
  const byId = batched((wanted: readonly Wanted[]) => readBatch(database, wanted, recordsOfIds));
  const bySignature = batched((wanted: readonly Wanted[]) =>
    readBatch(database, wanted, recordsOfSignatures),
  );
  return {
    async find(principal, idOrSignature) {
      const { organizationId } = requireScope(principal, 'transactions:read');
      const read = isId('txn', idOrSignature) ? byId : isSignature(idOrSignature) ? bySignature : undefined;
      const found = await read?.({ organizationId, name: idOrSignature });
      if (!found) throw notFound('transaction');
      if (found.id === null) throw mayBeArchived();
      return found;
    },
  };
}

type Found = IndexedTransaction | { readonly id: null };
type TransactionRow = Found & { readonly ordinal: number };

// Prepared, because single reads are a hot path. The organization is part of the join, so each row is read for the
// organization that requested it. If records of the organization are archived, a name without a match has a row without id.
const recordsOf = (column: 'id' | 'signature') =>
  prepared<TransactionRow>(
    `transactions_of_${column}s`,
    `select distinct on (wanted.ordinal) wanted.ordinal, ${RECORD_COLUMNS}
    from unnest($1::text[], $2::text[]) with ordinality as wanted (organization_id, name, ordinal)
    left join transactions on transactions.${column} = wanted.name
      and transactions.organization_id = wanted.organization_id
    where transactions.id is not null or exists (
      select from assets where assets.organization_id = wanted.organization_id and assets.archived is not null)
    order by wanted.ordinal, transactions.path, transactions.asset_id`,
  );
const recordsOfIds = recordsOf('id');
const recordsOfSignatures = recordsOf('signature');

async function readBatch(
  database: Database,
  wanted: readonly Wanted[],
  records: typeof recordsOfIds,
): Promise<(Found | undefined)[]> {
  const organizationIds = wanted.map(({ organizationId }) => organizationId);
  const names = wanted.map(({ name }) => name);
  const rows = await actingFor(organizationIds, () => database.rows(records(organizationIds, names)));
  const found = new Array<Found | undefined>(wanted.length).fill(undefined);
  for (const row of rows) found[row.ordinal - 1] = row;
  return found;
}
