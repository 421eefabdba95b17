import {
  columnsOf,
  query,
  sql,
  type Reader,
  type RowOf,
  type Transaction,
} from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { AddressPolicyEntity } from './address.entity.js';
import type { AddressRules } from '../check-rules.js';
import type { CheckSubject } from '../check-subject.js';

/** The decision of the application about addresses that it has not listed. */
export type AddressPolicy = Pick<RowOf<typeof AddressPolicyEntity>, 'approvedByDefault' | 'version'>;

export const ADDRESS_POLICY_COLUMNS = columnsOf(AddressPolicyEntity, ['approvedByDefault', 'version']);

export async function readAddressPolicy(reader: Reader, applicationId: Id<'app'>): Promise<AddressPolicy> {
  const [policy] = await reader.rows(
    query
      .selectFrom('address_policies')
      .select(ADDRESS_POLICY_COLUMNS)
      .where('application_id', '=', applicationId),
  );
  return policy ?? { approvedByDefault: false, version: 0 };
}

/** The application's rules for one address, read in one statement because rules and version belong together. */
export async function readAddressRules(
  reader: Reader,
  applicationId: Id<'app'>,
  { network, address }: Pick<CheckSubject, 'network' | 'address'>,
): Promise<AddressRules & { readonly policyVersion: number }> {
  const [row] = await reader.rows(
    query
      .selectFrom('address_policies')
      .leftJoin('application_addresses', (join) =>
        join
          .onRef('application_addresses.application_id', '=', 'address_policies.application_id')
          .on('network', '=', network)
          .on('address', '=', address),
      )
      .select([
        'approved_by_default as approvedByDefault',
        'version as policyVersion',
        'application_addresses.status as listed',
      ])
      .where('address_policies.application_id', '=', applicationId),
  );
  if (!row) return { listed: undefined, approvedByDefault: false, policyVersion: 0 };
  return { ...row, listed: row.listed ?? undefined };
}

/** Increases the version. Call it in the transaction of each change that affects checks. */
export async function nextPolicyVersion(transaction: Transaction, applicationId: Id<'app'>): Promise<number> {
  const [row] = await transaction.rows(
    query
      .insertInto('address_policies')
      .values({ application_id: applicationId, approved_by_default: false, version: 1 })
      .onConflict((policy) =>
        policy.column('application_id').doUpdateSet({ version: sql<number>`address_policies.version + 1` }),
      )
      .returning('version'),
  );
  if (!row) throw new Error('The address policy could not be written.');
  return row.version;
}
