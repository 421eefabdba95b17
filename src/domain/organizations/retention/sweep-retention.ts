import { DEFAULT_RETENTION_YEARS, GATEWAY, isHeld, type RetentionRule } from '../../access/index.js';
import { recordActivity } from '../../activity-log/index.js';
import { type Foundation, query, sql } from '../../../platform/database/index.js';
import type { Sweep } from '../../../platform/jobs/index.js';
import { timestamp } from '../../../platform/kernel/clock.js';
import type { Id } from '../../../platform/kernel/ids.js';

type Parts = Pick<Foundation, 'database'>;

/**
 * Deletes data past its retention period, in one transaction for each organization and batch, with a log entry that contains
 * the count. The database clock decides what is due: a gateway's may be wrong, and a deletion cannot be undone.
 */
export const sweepRetention = (foundation: Parts, rule: RetentionRule): Sweep => ({
  table: rule.table,
  async sweep(limit, mayContinue = () => true) {
    let removed = 0;
    const failures: unknown[] = [];
    for (let after = ''; removed < limit && mayContinue();) {
      const [due] = await foundation.database.rows(
        dueOrganizations(rule)
          .where('organizations.id', '>', after as Id<'org'>)
          .limit(1),
      );
      if (!due) break;
      const limitOfBatch = Math.min(rule.batchSize, limit - removed);
      // A failure in one organization must not stop the deletion in others.
      const count = await removeDue(foundation, rule, due, limitOfBatch).catch((thrown: unknown) => {
        failures.push(thrown);
        return 0;
      });
      removed += count;
      // Repeat, unless nothing is left or another instance does it.
      if (count === 0) after = due.id;
    }
    if (failures.length > 0)
      throw new AggregateError(
        failures,
        `The deletion of old data failed for ${failures.length} organizations.`,
      );
    return removed;
  },
});

const MIGRATION = '0039-retention';
/** The time to place holds and to set retention periods before anything is deleted for the first time. */
const GRACE_DAYS = 30;

/** Organizations with data of the kind that is past its retention, and without a hold on it. */
function dueOrganizations(rule: RetentionRule) {
  // Raw: the builder has no intervals.
  const before = sql<Date>`date_trunc('day', now(), 'UTC') - make_interval(years => coalesce(retention_settings.years, ${DEFAULT_RETENTION_YEARS[rule.kind]}))`;
  return query
    .selectFrom('organizations')
    .leftJoin('retention_settings', (settings) =>
      settings
        .onRef('retention_settings.organization_id', '=', 'organizations.id')
        .on('retention_settings.kind', '=', rule.kind),
    )
    .select(['organizations.id', before.as('before'), sql<Date>`now()`.as('at')])
    .where((organization) => organization.not(isHeld(sql.ref('organizations.id'), rule.kind)))
    .where((organization) =>
      organization.exists(rule.due(sql.ref('organizations.id'), before).select(sql`1`.as('one'))),
    )
    .where(
      // Raw: the table of migrations has no entity.
      sql<boolean>`exists (select from mikro_orm_migrations where name = ${rule.since ?? MIGRATION}
        and executed_at < now() - make_interval(days => ${GRACE_DAYS}))`,
    )
    .orderBy('organizations.id');
}

async function removeDue(
  { database }: Parts,
  rule: RetentionRule,
  { id: organizationId }: { readonly id: Id<'org'> },
  limit: number,
): Promise<number> {
  return database.transaction(async (transaction) => {
    // Serialized with placing holds, changing the setting, and other deletions.
    const held = await transaction.rows(
      query
        .selectFrom('organizations')
        .select('id')
        .where('id', '=', organizationId)
        .forNoKeyUpdate()
        .skipLocked(),
    );
    if (held.length === 0) return 0;
    const [due] = await transaction.rows(
      dueOrganizations(rule).where('organizations.id', '=', organizationId),
    );
    if (!due) return 0;
    const { before, at } = due;
    const count = await rule.remove(transaction, { organizationId, before, limit, at });
    if (count > 0)
      await recordActivity(transaction, {
        organizationId,
        eventType: 'retention.applied',
        actor: GATEWAY,
        object: { kind: rule.kind, table: rule.table },
        details: { count, before: timestamp(before), complete: count < limit },
        at,
      });
    return count;
  });
}
