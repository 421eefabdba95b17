import type { Expression } from 'kysely';
import { columnsOf, query, sql, type Transaction } from '../../../platform/database/index.js';
import { timestamp } from '../../../platform/kernel/clock.js';
import { conflict } from '../../../platform/kernel/errors.js';
import type { Id } from '../../../platform/kernel/ids.js';
import { lockOrganization } from '../lock-organization.js';
import { LegalHoldEntity } from './retention.entity.js';
import type { RetentionKind } from './retention-kinds.js';

/** The organization's holds that are in force, oldest first. The clock of the database decides, as in its triggers. */
export const selectHoldsInForce = (organizationId: Id<'org'>) =>
  query
    .selectFrom('legal_holds')
    .select(columnsOf(LegalHoldEntity, ['id', 'kinds', 'reason', 'until', 'placedBy', 'placedAt']))
    .where('organization_id', '=', organizationId)
    .where('released_at', 'is', null)
    .where((hold) => hold.or([hold('until', 'is', null), hold('until', '>', sql<Date>`now()`)]))
    .orderBy('id');

// Raw: the builder calls no functions of the schema.
export const isHeld = (organizationId: Expression<string>, kind: RetentionKind) =>
  sql<boolean>`is_under_legal_hold(${organizationId}, ${kind})`;

/** Throws `CONFLICT` while a hold covers the kind. Locks the organization's holds until the transaction ends. */
export async function requireNoLegalHold(
  transaction: Transaction,
  organizationId: Id<'org'>,
  kind: RetentionKind,
): Promise<void> {
  await lockOrganization(transaction, organizationId);
  const [hold] = await transaction.rows(
    selectHoldsInForce(organizationId)
      .where(sql<boolean>`${kind} = any (kinds)`)
      .limit(1),
  );
  if (!hold) return;
  const end = hold.until ? `, or wait until ${timestamp(hold.until)}` : '';
  throw conflict(
    `The legal hold ${hold.id} is in force: data that it covers is not deleted. An owner can release it${end}.`,
  );
}
