import { defineEntity, p } from '@mikro-orm/core';
import type { Id } from '../kernel/ids.js';
import type { CheckReason, CheckStep } from './check-rules.js';

/** What was asked and answered. The database refuses to change or delete a row. */
export const AddressCheckEntity = defineEntity({
  name: 'AddressCheck',
  tableName: 'address_checks',
  properties: {
    id: p.text().primary().$type<Id<'chk'>>(),
    organizationId: p.text().nullable().$type<Id<'org'> | null>(),
    applicationId: p.text().nullable().$type<Id<'app'> | null>(),
    network: p.text(),
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
