import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../../platform/database/index.js';

/** A used answer of the OpenID provider, so that it is not accepted again. */
export const UsedSignInAttemptEntity = defineEntity({
  name: 'UsedSignInAttempt',
  tableName: 'used_sign_in_attempts',
  properties: {
    /** SHA-256 of the attempt's `state`. */
    stateHash: p.blob().primary().$type<Uint8Array>(),
    usedAt: p.datetime(3),
  },
});

declare module '../../../platform/database/query.js' {
  interface Tables {
    used_sign_in_attempts: TableOf<typeof UsedSignInAttemptEntity>;
  }
}
