import { query, type Transaction } from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';

/** Lets other changes of the organization that lock it wait until the transaction ends. */
export async function lockOrganization(transaction: Transaction, organizationId: Id<'org'>): Promise<void> {
  await transaction.rows(
    query.selectFrom('organizations').select('id').where('id', '=', organizationId).forNoKeyUpdate(),
  );
}
