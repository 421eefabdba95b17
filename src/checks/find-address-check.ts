import { all, sql, type Foundation } from '../database/index.js';
import { notFound } from '../kernel/errors.js';
import { locateId } from '../kernel/ids.js';
import type { Principal } from '../organizations/index.js';
import { checkAccess } from './address-access.js';
import type { AddressCheck } from './address-check.js';

/** A recorded check of an application whose addresses the caller manages. Those of no application are nobody's. */
export async function findAddressCheck(
  { database }: Pick<Foundation, 'database'>,
  principal: Principal | undefined,
  checkId: string,
): Promise<AddressCheck> {
  const { organizationId, applicationIds } = checkAccess(principal);
  const id = locateId('chk', checkId);
  const [check] = await database.rows(sql<AddressCheck>`
    select id, network, address, check_application_id as "applicationId", approved, reason,
      decided_by as "decidedBy", policy_version as "policyVersion", list_version as "listVersion",
      checked_at as "checkedAt", encode(metadata_hash, 'hex') as "metadataHash"
    from address_checks
    where ${all([
      sql`organization_id = ${organizationId}`,
      sql`id = ${id}`,
      applicationIds && sql`application_id = any(${[...applicationIds]}::text[])`,
    ])}`);
  if (!check) throw notFound('check');
  return check;
}
