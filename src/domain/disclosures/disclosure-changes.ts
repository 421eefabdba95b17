import { query, sql, type Foundation, type Reader, type Transaction } from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';

/** Published after a disclosure of the organization changed. */
export const disclosuresTopic = (organizationId: Id<'org'>) => `disclosures:${organizationId}`;

/**
 * Numbers a change of a disclosure. The organization's row stays locked until the commit, so that numbers follow the order
 * of commits and a follower never misses a late commit: call it last.
 */
export async function numberChange(
  { signals }: Pick<Foundation, 'signals'>,
  transaction: Transaction,
  { organizationId, id }: { readonly organizationId: Id<'org'>; readonly id: Id<'dsc'> },
): Promise<void> {
  await transaction.rows(
    query
      .with('counted', (counting) =>
        counting
          .updateTable('organizations')
          .set({ disclosure_changes: sql`disclosure_changes + 1` })
          .where('id', '=', organizationId)
          .returning('disclosure_changes as change'),
      )
      .updateTable('disclosures')
      .from('counted')
      .set((row) => ({ change: row.ref('counted.change') }))
      .where('disclosures.organization_id', '=', organizationId)
      .where('disclosures.id', '=', id),
  );
  transaction.afterCommit(() => signals.publish(disclosuresTopic(organizationId)));
}

export async function latestDisclosureChange(reader: Reader, organizationId: Id<'org'>): Promise<number> {
  const [row] = await reader.rows(
    query.selectFrom('organizations').select('disclosure_changes as change').where('id', '=', organizationId),
  );
  return row?.change ?? 0;
}
