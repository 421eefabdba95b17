import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../../platform/database/index.js';

/** A failed sign-in, as long as it counts. */
export const SignInFailureEntity = defineEntity({
  name: 'SignInFailure',
  tableName: 'sign_in_failures',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    /** The subject of the count, as a digest under a key of this gateway. */
    keyHash: p.blob().$type<Uint8Array>(),
    failedAt: p.datetime(3),
  },
});

declare module '../../../platform/database/query.js' {
  interface Tables {
    sign_in_failures: TableOf<typeof SignInFailureEntity>;
  }
}
