import { sql, type Reader, type Transaction } from '../database/index.js';
import type { Id } from '../kernel/ids.js';
import type { AddressStatus } from './address-state.js';
import type { AddressRules } from './check-rules.js';
import type { CheckSubject } from './check-subject.js';

/** What an application says of addresses that it has not listed. */
export interface AddressPolicy {
  readonly approvedByDefault: boolean;
  /** Grows by one with each change of the application's addresses or default; 0 before the first. */
  readonly version: number;
}

export async function readAddressPolicy(reader: Reader, applicationId: Id<'app'>): Promise<AddressPolicy> {
  const [policy] = await reader.rows(sql<AddressPolicy>`
    select approved_by_default as "approvedByDefault", version from address_policies
    where application_id = ${applicationId}`);
  return policy ?? { approvedByDefault: false, version: 0 };
}

/** What the application says of one address, read in one statement: rules and version belong together. */
export async function readAddressRules(
  reader: Reader,
  applicationId: Id<'app'>,
  { network, address }: Pick<CheckSubject, 'network' | 'address'>,
): Promise<AddressRules & { readonly policyVersion: number }> {
  const [row] = await reader.rows(sql<{
    approvedByDefault: boolean;
    policyVersion: number;
    listed: AddressStatus | null;
  }>`
    select approved_by_default as "approvedByDefault", version as "policyVersion", status as listed
    from address_policies left join application_addresses
      on application_addresses.application_id = address_policies.application_id
        and network = ${network} and address = ${address}
    where address_policies.application_id = ${applicationId}`);
  if (!row) return { listed: undefined, approvedByDefault: false, policyVersion: 0 };
  return { ...row, listed: row.listed ?? undefined };
}

/** Makes the policy one version newer; call it in the transaction of each change that checks could see. */
export async function nextPolicyVersion(transaction: Transaction, applicationId: Id<'app'>): Promise<number> {
  const [row] = await transaction.rows(sql<{ version: number }>`
    insert into address_policies (application_id, version) values (${applicationId}, 1)
    on conflict (application_id) do update set version = address_policies.version + 1
    returning version`);
  if (!row) throw new Error('The address policy could not be written.');
  return row.version;
}
