import { columnsOf, type RowOf } from '../../../platform/database/index.js';
import { ApplicationAddressEntity } from './address.entity.js';

/** An address that an application has approved or revoked, as its managers see it. */
export type ListedAddress = Omit<RowOf<typeof ApplicationAddressEntity>, 'applicationId'>;

export const LISTED_ADDRESS_COLUMNS = columnsOf(ApplicationAddressEntity, [
  'network',
  'address',
  'status',
  'reason',
  'changedBy',
  'changedAt',
]);
