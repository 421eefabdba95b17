import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';

/** A link for a new password that a person requested by e-mail. */
export const PasswordResetEntity = defineEntity({
  name: 'PasswordReset',
  tableName: 'password_resets',
  properties: {
    accountId: p.text().primary().$type<Id<'acc'>>(),
    /** SHA-256 of the token of the link. */
    tokenHash: p.blob().$type<Uint8Array>(),
    expiresAt: p.datetime(3),
  },
});

declare module '../../../platform/database/query.js' {
  interface Tables {
    password_resets: TableOf<typeof PasswordResetEntity>;
  }
}
