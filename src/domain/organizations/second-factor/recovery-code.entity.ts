import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';

/** A code that replaces a lost second factor, once. Using the code deletes the row. */
export const RecoveryCodeEntity = defineEntity({
  name: 'RecoveryCode',
  tableName: 'recovery_codes',
  properties: {
    accountId: p.text().primary().$type<Id<'acc'>>(),
    /** A digest under a key of this gateway. */
    codeHash: p.blob().primary().$type<Uint8Array>(),
    createdAt: p.datetime(3),
  },
});

declare module '../../../platform/database/query.js' {
  interface Tables {
    recovery_codes: TableOf<typeof RecoveryCodeEntity>;
  }
}
