import { DEFAULT_RETENTION_YEARS, GATEWAY, isHeld, type RetentionRule } from '../../access/index.js';
import { recordActivity } from '../../activity-log/index.js';
import { type Foundation, query, sql } from '../../../platform/database/index.js';
import type { Sweep } from '../../../platform/jobs/index.js';
import { timestamp } from '../../../platform/kernel/clock.js';
import type { Id } from '../../../platform/kernel/ids.js';

type Parts = Pick<Foundation, 'database'>;

/**
 * Deletes what the organizations keep no longer, one transaction for each organization and batch, with a log entry that
 * says how many. Ages and entries are dated by the clock of the database: that of one gateway may be wrong, and nothing
 * brings back what was deleted.
 */
export const sweepRetention = (foundation: Parts, rule: RetentionRule): Sweep => ({
  table: rule.table,
  async sweep(limit) {
    let removed = 0;
    for (let after = ''; removed < limit;) {
      const [due] = await foundation.database.rows(
        dueOrganizations(rule)
          .where('organizations.id', '>', after as Id<'org'>)
          .limit(1),
      );
      if (!due) break;
      const count = await removeDue(foundation, rule, due.id, Math.min(rule.batchSize, limit - removed));
      removed += count;
      // The same again, unless it has no more or somebody else is at it.
      if (count === 0) after = due.id;
    }
    return removed;
  },
});

/** Organizations that store something of the kind for longer than they keep it, and hold nothing of it. */
function dueOrganizations(rule: RetentionRule) {
  // Raw: the builder has no intervals.
  const before = sql<Date>`now() - make_interval(years => coalesce(retention_settings.years, ${DEFAULT_RETENTION_YEARS[rule.kind]}))`;
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
    .orderBy('organizations.id');
}

async function removeDue(
  { database }: Parts,
  rule: RetentionRule,
  organizationId: Id<'org'>,
  limit: number,
): Promise<number> {
  return database.transaction(async (transaction) => {
    // Who places a hold, changes the setting or deletes as well takes turns with this.
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
        details: { count, before: timestamp(before) },
        at,
      });
    return count;
  });
}
