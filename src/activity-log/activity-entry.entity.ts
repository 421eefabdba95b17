import { defineEntity, p } from '@mikro-orm/core';
import type { Id } from '../kernel/ids.js';
import type { JsonObject } from '../kernel/json.js';
import type { EventType } from './event-types.js';
import type { Salts } from './personal-values.js';

/**
 * One completed action. `entry` is the leaf of the Merkle log, personal values replaced by salted digests; `salts`
 * holds what opens them and can be erased. Its index in the log is given when it is sequenced.
 */
export const ActivityEntry = defineEntity({
  name: 'ActivityEntry',
  tableName: 'activity_entries',
  properties: {
    id: p.text().primary().$type<Id<'log'>>(),
    organizationId: p.text().$type<Id<'org'>>(),
    applicationId: p.text().nullable().$type<Id<'app'> | null>(),
    caseId: p.text().nullable().$type<Id<'cas'> | null>(),
    eventType: p.text().$type<EventType>(),
    actorId: p.text(),
    entry: p.json().$type<JsonObject>(),
    salts: p.json().$type<Salts>(),
    leafHash: p.blob().$type<Uint8Array>(),
    createdAt: p.datetime(3),
  },
});
