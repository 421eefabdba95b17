import { leafHash } from '../crypto/index.js';
import type { Transaction } from '../database/index.js';
import { timestamp } from '../kernel/clock.js';
import { newId, type Id } from '../kernel/ids.js';
import { canonicalJson } from '../kernel/json.js';
import { systemRandom } from '../kernel/random.js';
import { ActivityEntry } from './activity-entry.entity.js';
import type { EventType } from './event-types.js';
import { digestPersonalValues, personal, type LogObject } from './personal-values.js';

/** Who acts: a user (`usr_…`), an API key (`key_…`) or the operator at the command line. */
export interface Actor {
  readonly id: string;
  readonly name: string;
}

/** The person at the server's command line, who needs no account. */
export const OPERATOR: Actor = { id: 'operator', name: 'Operator' };

/** Signs for what no person did. */
export const GATEWAY: Actor = { id: 'gateway', name: 'Gateway' };

export interface Activity {
  readonly organizationId: Id<'org'>;
  readonly eventType: EventType;
  readonly actor: Actor;
  /** What was acted on; names and e-mail addresses as `personal(…)`. */
  readonly object: LogObject;
  readonly details?: LogObject;
  readonly application?: { readonly id: Id<'app'>; readonly foreignId: string } | undefined;
  readonly caseId?: Id<'cas'> | undefined;
  readonly at: Date;
}

/** Writes the entry of a completed action in the action's own transaction: neither exists without the other. */
export async function recordActivity(transaction: Transaction, activity: Activity): Promise<Id<'log'>> {
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
    systemRandom,
  );
  const id = newId('log');
  await transaction.em.insert(ActivityEntry, {
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
  });
  return id;
}
