import type { Foundation } from '../../platform/database/index.js';
import { notFound } from '../../platform/kernel/errors.js';
import { parseIdOrNotFound } from '../../platform/kernel/ids.js';
import type { Principal } from '../access/index.js';
import { checkAccess } from './addresses/address-access.js';
import type { AddressCheck } from './address-check.js';
import { selectChecks, shownCheck } from './recorded-checks.js';

/** A recorded check of an application whose addresses the caller manages. Checks without an application cannot be read. */
export async function findAddressCheck(
  { database }: Pick<Foundation, 'database'>,
  principal: Principal | undefined,
  checkId: string,
): Promise<AddressCheck> {
  const { organizationId, applicationIds } = checkAccess(principal);
  const id = parseIdOrNotFound('chk', checkId);
  const [row] = await database.rows(
    selectChecks(organizationId)
      .where('id', '=', id)
      .$if(applicationIds !== undefined, (checks) => checks.where('application_id', 'in', applicationIds!)),
  );
  if (!row) throw notFound('check');
  return shownCheck(row);
}
