import { defineEntity, p } from '@mikro-orm/core';
import type { TableOf } from '../../../platform/database/index.js';
import type { Id } from '../../../platform/kernel/ids.js';
import type { JsonObject } from '../../../platform/kernel/encoding/json.js';
import type { ProposedOperation } from './second-person-table.js';

/** An operation that one person called. It takes effect when another person calls it with the same input. */
export const ProposedOperationEntity = defineEntity({
  name: 'ProposedOperation',
  tableName: 'proposed_operations',
  properties: {
    organizationId: p.text().primary().$type<Id<'org'>>(),
    operation: p.text().primary().$type<ProposedOperation>(),
    /** SHA-256 of the canonical JSON of `input`. */
    inputDigest: p.blob().primary().$type<Uint8Array>(),
    input: p.json().$type<JsonObject>(),
    /** The application whose administrators may also request it. */
    applicationId: p.text().nullable().$type<Id<'app'> | null>(),
    proposedBy: p.text().$type<Id<'usr'>>(),
    proposedAt: p.datetime(3),
    expiresAt: p.datetime(3),
  },
});

declare module '../../../platform/database/query.js' {
  interface Tables {
    proposed_operations: TableOf<typeof ProposedOperationEntity>;
  }
}
