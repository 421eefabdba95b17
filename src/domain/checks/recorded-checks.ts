import { columnsOf, query, type RowOf } from '../../platform/database/index.js';
import { hex } from '../../platform/kernel/encoding/bytes.js';
import type { Id } from '../../platform/kernel/ids.js';
import type { AddressCheck } from './address-check.js';
import { AddressCheckEntity } from './check.entity.js';

const SHOWN = [
  ...(['id', 'network', 'address', 'checkApplicationId', 'approved', 'reason', 'decidedBy'] as const),
  ...(['policyVersion', 'listVersion', 'checkedAt', 'metadataHash'] as const),
] as const;

/** The recorded checks of the organization. The caller adds conditions. */
export const selectChecks = (organizationId: Id<'org'>) =>
  query
    .selectFrom('address_checks')
    .select(columnsOf(AddressCheckEntity, SHOWN))
    .where('organization_id', '=', organizationId);

export const shownCheck = ({
  metadataHash,
  ...check
}: Pick<RowOf<typeof AddressCheckEntity>, (typeof SHOWN)[number]>): AddressCheck => ({
  ...check,
  metadataHash: hex.encode(metadataHash),
});
