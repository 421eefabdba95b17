import DataLoader from 'dataloader';
import { prepared, type Database, type Foundation } from '../database/index.js';
import { notFound } from '../kernel/errors.js';
import { isId, type Id } from '../kernel/ids.js';
import { isSignature } from '../ledger/index.js';
import { requireScope, type Principal } from '../organizations/index.js';
import { RECORD_COLUMNS, type IndexedTransaction } from './transaction.js';

/** Reads single records. Reads that are asked for at the same time, by whichever requests, share one query. */
export interface TransactionReader {
  /**
   * The record of an id or of a ledger signature; of several records under one signature the first in instruction
   * order. `NOT_FOUND` for anything that is not a record of the caller's organization.
   */
  find(principal: Principal | undefined, idOrSignature: string): Promise<IndexedTransaction>;
}

interface Wanted {
  readonly organizationId: Id<'org'>;
  readonly name: string;
}

const LARGEST_BATCH = 500;

export function createTransactionReader({ database }: Pick<Foundation, 'database'>): TransactionReader {
  const byId = loader((wanted) => readBatch(database, wanted, recordsOfIds));
  const bySignature = loader((wanted) => readBatch(database, wanted, recordsOfSignatures));
  return {
    async find(principal, idOrSignature) {
      const { organizationId } = requireScope(principal, 'transactions:read');
      const source = isId('txn', idOrSignature) ? byId : isSignature(idOrSignature) ? bySignature : undefined;
      const found = await source?.load({ organizationId, name: idOrSignature });
      if (!found) throw notFound('transaction');
      return found;
    },
  };
}

type Batch = (wanted: readonly Wanted[]) => Promise<(IndexedTransaction | undefined)[]>;

function loader(batch: Batch): DataLoader<Wanted, IndexedTransaction | undefined> {
  return new DataLoader(batch, {
    cache: false,
    maxBatchSize: LARGEST_BATCH,
    // After the current round of socket reads, so that requests which arrived together are read together.
    batchScheduleFn: (run) => void setImmediate(run),
  });
}

type FoundRecord = IndexedTransaction & { readonly ordinal: number };

// The organization is part of the join: each row is read for the organization that asked for it.
const recordsOf = (column: 'id' | 'signature') =>
  prepared<FoundRecord>(
    `transactions_of_${column}s`,
    `select distinct on (wanted.ordinal) wanted.ordinal, ${RECORD_COLUMNS}
    from unnest($1::text[], $2::text[]) with ordinality as wanted (organization_id, name, ordinal)
    join transactions on transactions.${column} = wanted.name
    join assets on assets.id = transactions.asset_id and assets.organization_id = wanted.organization_id
    order by wanted.ordinal, transactions.path, transactions.asset_id`,
  );
const recordsOfIds = recordsOf('id');
const recordsOfSignatures = recordsOf('signature');

async function readBatch(
  database: Database,
  wanted: readonly Wanted[],
  records: typeof recordsOfIds,
): Promise<(IndexedTransaction | undefined)[]> {
  const rows = await database.rows(
    records(
      wanted.map(({ organizationId }) => organizationId),
      wanted.map(({ name }) => name),
    ),
  );
  const found = new Array<IndexedTransaction | undefined>(wanted.length).fill(undefined);
  for (const row of rows) found[row.ordinal - 1] = row;
  return found;
}
