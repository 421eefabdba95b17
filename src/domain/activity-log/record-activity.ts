import type { Actor } from '../access/index.js';
import { leafHash } from '../../platform/crypto/index.js';
import { query, type Transaction, valuesOf } from '../../platform/database/index.js';
import { timestamp } from '../../platform/kernel/clock.js';
import { newId, type Id } from '../../platform/kernel/ids.js';
import { canonicalJson } from '../../platform/kernel/encoding/json.js';
import { type Random, systemRandom } from '../../platform/kernel/random.js';
import { ActivityEntryEntity } from './activity-log.entity.js';
import type { EventType } from './event-types.js';
import { digestPersonalValues, personal, type LogObject } from './personal-values.js';

export interface Activity {
  readonly organizationId: Id<'org'>;
  readonly eventType: EventType;
  readonly actor: Actor;
  /** The object of the action. Names and e-mail addresses are wrapped in `personal(…)`. */
  readonly object: LogObject;
  readonly details?: LogObject;
  readonly application?: { readonly id: Id<'app'>; readonly foreignId: string } | undefined;
  readonly caseId?: Id<'cas'> | undefined;
  readonly at: Date;
}

/** Writes the entry of a completed action in the transaction of the action, so that neither exists without the other. */
export async function recordActivity(
  transaction: Transaction,
  activity: Activity,
  random: Random = systemRandom,
): Promise<Id<'log'>> {
  const { entry, salts } = digestPersonalValues(
    {
      event_type: activity.eventType,
      user: personal(activity.actor.name),
      user_id: activity.actor.id,
      object: activity.object,
      details: activity.details ?? {},
      application_foreign_id: activity.application?.foreignId ?? null,
      case_id: activity.caseId ?? null,
      created_at: timestamp(activity.at),
    },
    random,
  );
  const id = newId('log');
  await transaction.rows(
    query.insertInto('activity_entries').values(
      valuesOf(ActivityEntryEntity, {
        id,
        organizationId: activity.organizationId,
        applicationId: activity.application?.id ?? null,
        caseId: activity.caseId ?? null,
        eventType: activity.eventType,
        actorId: activity.actor.id,
        entry,
        salts,
        leafHash: leafHash(canonicalJson(entry)),
        createdAt: activity.at,
      }),
    ),
  );
  return id;
}
