import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../platform/database/index.js';
import type { Id } from '../../platform/kernel/ids.js';
import type { Network } from '../../platform/kernel/enums/network.js';
import type { CheckReason, CheckStep } from './check-rules.js';

/** The question and the answer. The database refuses to change or delete a row. */
export const AddressCheckEntity = defineEntity({
  name: 'AddressCheck',
  tableName: 'address_checks',
  properties: {
    id: p.text().primary().$type<Id<'chk'>>(),
    organizationId: p.text().nullable().$type<Id<'org'> | null>(),
    applicationId: p.text().nullable().$type<Id<'app'> | null>(),
    network: p.text().$type<Network>(),
    address: p.text(),
    checkApplicationId: p.text().nullable(),
    approved: p.boolean(),
    reason: p.text().$type<CheckReason>(),
    decidedBy: p.text().$type<CheckStep>(),
    policyVersion: p.integer().nullable(),
    listVersion: p.text().nullable(),
    checkedAt: p.datetime(3),
    metadataHash: p.blob().$type<Uint8Array>(),
  },
});

declare module '../../platform/database/query.js' {
  interface Tables {
    address_checks: TableOf<typeof AddressCheckEntity>;
  }
}
