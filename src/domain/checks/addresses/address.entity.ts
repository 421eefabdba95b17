import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import type { Network } from '../../../platform/kernel/enums/network.js';
import type { Address } from '../../../platform/ledger/index.js';
import type { AddressStatus } from './address-state.js';

/** An address that an application has approved or revoked. */
export const ApplicationAddressEntity = defineEntity({
  name: 'ApplicationAddress',
  tableName: 'application_addresses',
  properties: {
    applicationId: p.text().primary().$type<Id<'app'>>(),
    network: p.text().primary().$type<Network>(),
    address: p.text().primary().$type<Address>(),
    status: p.text().$type<AddressStatus>(),
    reason: p.text(),
    /** The user who last changed the status. */
    changedBy: p.text().$type<Id<'usr'>>(),
    changedAt: p.datetime(3),
  },
});

/** The decision of an application about addresses that it has not listed. */
export const AddressPolicyEntity = defineEntity({
  name: 'AddressPolicy',
  tableName: 'address_policies',
  properties: {
    applicationId: p.text().primary().$type<Id<'app'>>(),
    approvedByDefault: p.boolean(),
    /** Grows by one with each change of the application's addresses or default. 0 before the first change. */
    version: p.integer(),
  },
});

declare module '../../../platform/database/query.js' {
  interface Tables {
    application_addresses: TableOf<typeof ApplicationAddressEntity>;
    address_policies: TableOf<typeof AddressPolicyEntity>;
  }
}
