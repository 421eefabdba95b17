import type { Foundation } from '../../../platform/database/index.js';
import { type Connection, connectionOf } from '../../../platform/kernel/paging/connection.type.js';
import { cursorsFor, pageOf, type PageInput, parsePage } from '../../../platform/kernel/paging/paging.js';
import { type Principal, requireScope } from '../../access/index.js';
import type { IndexedTransaction } from '../../transactions/index.js';
import type { Disclosure } from '../disclosure.js';
import { scopeFromJson } from '../disclosure-scope.js';
import { selectChosenRecords } from '../results/select-records.js';

/**
 * A page of the records that a disclosure names by their ids, in the order of the request, as the list of transactions shows
 * them. Null if its scope is an account. Not everyone who decides may list transactions, so this needs the permission of that
 * list, too.
 */
export async function listChosenRecords(
  { database }: Pick<Foundation, 'database'>,
  principal: Principal | undefined,
  { id, organizationId, assetId, scope: stored }: Disclosure,
  input: PageInput,
): Promise<Connection<IndexedTransaction> | null> {
  requireScope(principal, 'transactions:read');
  const {
    limit,
    cursors,
    after = 0,
  } = parsePage(input, 'number', () => cursorsFor('chosenRecords', { disclosureId: id }));
  const scope = scopeFromJson(stored);
  if (scope.kind !== 'transactions') return null;

  const ids = scope.transactionIds.slice(after, after + limit + 1);
  const placeOf = new Map<string, number>(ids.map((chosen, index) => [chosen, after + index + 1]));
  const place = (record: IndexedTransaction) => placeOf.get(record.id) ?? 0;
  const rows = await selectChosenRecords(database, { organizationId, assetId, ids });
  return connectionOf(
    pageOf(
      rows.toSorted((one, other) => place(one) - place(other)),
      limit,
    ),
    (record) => cursors.encode(place(record)),
  );
}
