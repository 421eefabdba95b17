import { defineEntity, p } from '@mikro-orm/core';
import type { Id } from '../../kernel/ids.js';
import type { TableOf } from '../query.js';

/** One use of an `Idempotency-Key`, with the sealed answer to it. */
export const IdempotencyKeyEntity = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_keys',
  properties: {
    organizationId: p.text().primary().$type<Id<'org'>>(),
    key: p.text().primary(),
    operation: p.text(),
    requestHash: p.blob().$type<Uint8Array>(),
    resourceId: p.text(),
    sealedAnswer: p.blob().nullable().$type<Uint8Array | null>(),
    createdAt: p.datetime(3),
  },
});

declare module '../query.js' {
  interface Tables {
    idempotency_keys: TableOf<typeof IdempotencyKeyEntity>;
  }
}
